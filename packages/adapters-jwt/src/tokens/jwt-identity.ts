import * as domain from '@campaign-mirror/domain';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';

/** The maximum length of a token. Tokens of Keycloak and Auth0 have 1,000 to 2,000 characters. */
const maxLength = 8_192;

/** Whether this has the form of a signed token: three parts in base64url (RFC 7515, section 7.1), at most 8 KiB. */
export const isTokenForm = (credential: string): boolean =>
  credential.length <= maxLength && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential);

/** Which tokens are accepted, and the names of their claims. */
export interface TokenRules {
  /** The required `iss`, compared byte for byte. */
  readonly issuer: string;
  /** The required `aud`, or one of its elements. */
  readonly audience: string;
  /** Asymmetric algorithms of the signature, such as `RS256` (RFC 7518, section 3.1). */
  readonly algorithms: readonly string[];
  /** The maximum difference of the issuer's clock, in milliseconds. */
  readonly clockTolerance: number;
  /** The claim with the number of the owner. */
  readonly ownerClaim: string;
  /** The claim with the name that the history shows. */
  readonly subjectClaim: string;
  /** The claim with the only hosts that the token may set. If set, each token must have it. */
  readonly hostsClaim?: string | undefined;
}

/** The types of an access token (RFC 9068, section 2.1; RFC 8725, section 3.12). */
const accessTokenType = /^(?:application\/)?(?:at\+)?jwt$/i;

/** Signed bearer tokens (RFC 7519). A token is valid until it expires. No error contains a token or its claims. */
export class JwtIdentity implements domain.Identity {
  readonly #rules: TokenRules;
  readonly #keys: JWTVerifyGetKey;

  /** @throws TypeError without an issuer or an audience, such as from an unset environment variable */
  constructor(rules: TokenRules, keys: JWTVerifyGetKey) {
    // Without them, jose accepts any.
    if (!rules.issuer || !rules.audience) throw new TypeError('rules: issuer and audience must be set');
    this.#rules = rules;
    this.#keys = keys;
  }

  async whoIs(token: string): Promise<domain.Identified> {
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
      if (error instanceof domain.Unavailable) throw error;
      throw new domain.Unavailable('a key of the issuer of tokens cannot be used', { cause: error });
    }
  }

  #callerIn(claims: JWTPayload): domain.Identified {
    // Only the holder of a key may use the token, which cannot be checked here (RFC 7800).
    if (claims.cnf !== undefined) return { refused: 'token-bound-to-a-key' };
    const { [this.#rules.ownerClaim]: owner, [this.#rules.subjectClaim]: name } = claims;
    // Some issuers write numbers as text.
    const isNumber = typeof owner === 'number' || typeof owner === 'string';
    const callersOwner = isNumber ? domain.ownerId(String(owner)) : undefined;
    if (!callersOwner) return { refused: 'token-owner-claim' };
    const subject = typeof name === 'string' ? domain.subject('jwt', name) : undefined;
    if (!subject) return { refused: 'token-subject-claim' };
    const caller = { ownerId: callersOwner, subject };
    const { hostsClaim } = this.#rules;
    if (hostsClaim === undefined) return caller;
    const hosts = hostsIn(claims[hostsClaim]);
    return hosts ? { ...caller, hosts } : { refused: 'token-hosts-claim' };
  }
}

/** An array of hosts, or a text with commas; undefined for an empty array and for other values. */
function hostsIn(claim: unknown): domain.HostList | undefined {
  const entries: unknown[] = typeof claim === 'string' ? claim.split(',') : [claim].flat();
  if (entries.length === 0 || !entries.every((entry) => typeof entry === 'string')) return undefined;
  return domain.namedHosts(entries.map((entry) => entry.trim()));
}

/** By jose's code, or by the claim that is missing or wrong (RFC 7519, section 4.1). */
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

/** Uses `keys` for well-formed access keys, and `tokens` for all other credentials. */
export function keysOrTokens(keys: domain.Identity, tokens: domain.Identity): domain.Identity {
  const identityFor = (credential: string) => (domain.accessKey(credential) ? keys : tokens);
  return { whoIs: (credential, options) => identityFor(credential).whoIs(credential, options) };
}
