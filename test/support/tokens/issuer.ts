import type { RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { httpServer } from '../http/http-server.ts';

export const rules = {
  issuer: 'https://issuer.example/realms/ads',
  audience: 'campaign-mirror',
  algorithms: ['RS256', 'ES256'],
  clockTolerance: 30_000,
  ownerClaim: 'owner_id',
  subjectClaim: 'sub',
};

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey | Uint8Array;
  readonly jwk: JWK;
}

export async function signingKey(kid: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { kid, algorithm, privateKey, jwk };
}

export const fromNow = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

const { issuer: iss, audience: aud } = rules;
const claims = { iss, aud, sub: 'client-4', owner_id: 7, iat: fromNow(0), exp: fromNow(3_600) };

/** A valid token, unless `otherwise` or `header` changes it; undefined removes a claim. */
export function token(key: SigningKey, otherwise: JWTPayload = {}, header: object = {}): Promise<string> {
  return new SignJWT({ ...claims, ...otherwise })
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
    .sign(key.privateKey);
}

export function unsigned(header: object, signature = ''): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encoded(header)}.${encoded(claims)}.${signature}`;
}

/** An issuer on this machine, which counts the requests for its keys. */
export class TestIssuer {
  keys: readonly SigningKey[];
  fetches = 0;
  /** Replaces the answer with the keys. */
  answer: RequestListener | undefined;
  #port = 0;
  close = async () => {};

  constructor(...keys: readonly SigningKey[]) {
    this.keys = keys;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/jwks.json`);
  }

  get settings() {
    return { IDENTITY: 'jwt', JWT_ISSUER: iss, JWT_AUDIENCE: aud, JWT_JWKS_URL: this.url.href };
  }

  async open(): Promise<this> {
    const { port, close } = await httpServer((request, response) => {
      this.fetches += 1;
      if (this.answer) this.answer(request, response);
      else response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
    }, this.#port);
    this.#port = port;
    this.close = close;
    return this;
  }
}
