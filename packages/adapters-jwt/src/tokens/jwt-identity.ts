import {
  accessKey,
  type HostList,
  type Identified,
  type Identity,
  namedHosts,
  ownerId,
  subject,
  Unavailable,
} from '@campaign-mirror/domain';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';

/** The longest token, in characters. Tokens of Keycloak and Auth0 have 1,000 to 2,000. */
const maxLength = 8_192;

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Whether this has the form of a signed token: three parts in base64url (RFC 7515, section 7.1), at most 8 KiB. */
export function isTokenForm(credential: string): boolean {
  return credential.length <= maxLength && threeParts.test(credential);
}

/** Which tokens are accepted, and what their claims mean. */
export interface TokenRules {
  /** What `iss` must be, byte for byte. */
  readonly issuer: string;
  /** What `aud` must be or contain. */
  readonly audience: string;
  /**
   * Algorithms of the signature (RFC 7518, section 3.1): asymmetric ones, such as `RS256`. A key set has only these.
   */
  readonly algorithms: readonly string[];
  /** How far the issuer's clock may differ, in milliseconds. */
  readonly clockTolerance: number;
  /** The claim with the number of the owner. */
  readonly ownerClaim: string;
  /** The claim with the name that the history shows. */
  readonly subjectClaim: string;
  /** The claim with the only hosts that the token may set, which each token must have; by default, any host. */
  readonly hostsClaim?: string | undefined;
}

/** The types of an access token (RFC 9068, section 2.1; RFC 8725, section 3.12). */
const accessTokenType = /^(?:application\/)?(?:at\+)?jwt$/i;

/**
 * Bearer tokens that an issuer has signed (RFC 7519). Their owner and subject are claims; a token is valid until it
 * expires, and no store is asked. No error contains a token or its claims.
 */
export class JwtIdentity implements Identity {
  readonly #rules: TokenRules;
  readonly #keys: JWTVerifyGetKey;

  /** @throws TypeError without an issuer or an audience, as when a variable of the environment is not set */
  constructor(rules: TokenRules, keys: JWTVerifyGetKey) {
    // Jose would accept those of any.
    if (!rules.issuer || !rules.audience) throw new TypeError('rules: issuer and audience must be set');
    this.#rules = rules;
    this.#keys = keys;
  }

  async whoIs(token: string): Promise<Identified> {
    if (!isTokenForm(token)) return { refused: 'token-malformed' };
    const { issuer, audience, algorithms, clockTolerance } = this.#rules;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: clockTolerance / 1_000,
        requiredClaims: ['exp'],
      });
      if (!accessTokenType.test(protectedHeader.typ ?? 'JWT')) return { refused: 'token-type' };
      return this.#callerIn(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return { refused: faultOf(error) };
      if (error instanceof Unavailable) throw error;
      throw new Unavailable('a key of the issuer of tokens cannot be used', { cause: error });
    }
  }

  #callerIn(claims: JWTPayload): Identified {
    // A token that only the holder of a key may use: that cannot be checked here (RFC 7800).
    if (claims.cnf !== undefined) return { refused: 'token-bound-to-a-key' };
    const { [this.#rules.ownerClaim]: owner, [this.#rules.subjectClaim]: name } = claims;
    // A number, or its decimal digits, which issuers write that keep attributes as text.
    const isOwnerForm = typeof owner === 'number' || typeof owner === 'string';
    const ownerOfToken = isOwnerForm ? ownerId(String(owner)) : undefined;
    if (!ownerOfToken) return { refused: 'token-owner-claim' };
    const subjectOfToken = typeof name === 'string' ? subject('jwt', name) : undefined;
    if (!subjectOfToken) return { refused: 'token-subject-claim' };
    const caller = { ownerId: ownerOfToken, subject: subjectOfToken };
    const { hostsClaim } = this.#rules;
    if (hostsClaim === undefined) return caller;
    const hosts = hostsIn(claims[hostsClaim]);
    return hosts ? { ...caller, hosts } : { refused: 'token-hosts-claim' };
  }
}

/** An array of hosts, or one text that has them with commas; undefined for anything else, and for none. */
function hostsIn(claim: unknown): HostList | undefined {
  const entries: unknown[] = typeof claim === 'string' ? claim.split(',') : [claim].flat();
  if (entries.length === 0 || !entries.every((entry) => typeof entry === 'string')) return undefined;
  return namedHosts(entries.map((entry) => entry.trim()));
}

/** The faults by jose's code, or by the claim that is missing or not as expected (RFC 7519, section 4.1). */
const tokenFaults: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'token-expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'token-signature',
  ERR_JWKS_NO_MATCHING_KEY: 'token-key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'token-algorithm',
  iss: 'token-issuer',
  aud: 'token-audience',
  exp: 'token-expiry',
  nbf: 'token-not-yet-valid',
};

function faultOf(error: errors.JOSEError): string {
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : '';
  return tokenFaults[error.code] ?? tokenFaults[claim] ?? 'token-malformed';
}

/** Two identities: one for credentials that are well-formed access keys, one for all others. */
export function keysOrTokens(keys: Identity, tokens: Identity): Identity {
  const identityFor = (credential: string) => (accessKey(credential) ? keys : tokens);
  return { whoIs: (credential, options) => identityFor(credential).whoIs(credential, options) };
}
