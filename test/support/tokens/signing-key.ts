import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

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
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'] | Uint8Array;
  readonly jwk: JWK;
}

export async function signingKey(kid: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
  return { kid, algorithm, privateKey, jwk };
}

export const fromNow = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

const claims = {
  iss: rules.issuer,
  aud: rules.audience,
  sub: 'client-4',
  owner_id: 7,
  iat: fromNow(0),
  exp: fromNow(3_600),
};

/** A good token, as far as `otherwise` and `header` do not say otherwise; undefined leaves a claim out. */
export function token(key: SigningKey, otherwise: JWTPayload = {}, header: object = {}): Promise<string> {
  return new SignJWT({ ...claims, ...otherwise })
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
    .sign(key.privateKey);
}

export function unsigned(header: object, signature = ''): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encoded(header)}.${encoded(claims)}.${signature}`;
}
