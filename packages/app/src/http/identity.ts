import type { IssuerKeyOptions, IssuerObserver, TokenRules } from '@campaign-mirror/adapters-jwt';
import { accessKey, type Identity } from '@campaign-mirror/domain';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';
import type { Settings } from '../settings/settings.ts';

export interface OpenIdentity {
  readonly identity: Identity;
  /** Whether a credential can be one. */
  readonly isWellFormed: (credential: string) => boolean;
  /** Where tokens are accepted: the age of the issuer's keys in milliseconds, infinite before they were fetched. */
  readonly keysAge?: () => number;
}

/**
 * The identity that is set. `keys` is that of access keys. The issuer's keys are fetched at once, but not awaited: the
 * service starts without the issuer. What tokens need is loaded only where they are accepted.
 */
export async function openIdentity(
  settings: Settings,
  keys: Identity,
  observer?: IssuerObserver,
): Promise<OpenIdentity> {
  const isKey = (credential: string) => accessKey(credential) !== undefined;
  if (settings.IDENTITY === 'keys') return { identity: keys, isWellFormed: isKey };
  const { IssuerKeys, JwtIdentity, KeysOrTokens, isTokenForm } = await import(
    '@campaign-mirror/adapters-jwt'
  );
  const issuerKeys = new IssuerKeys({ ...issuerKeyOptions(settings), ...(observer && { observer }) });
  void issuerKeys.fetch();
  const tokens = new JwtIdentity(tokenRules(settings), issuerKeys);
  const keysAge = () => issuerKeys.age;
  if (settings.IDENTITY === 'jwt') return { identity: tokens, isWellFormed: isTokenForm, keysAge };
  const isWellFormed = (credential: string) => isKey(credential) || isTokenForm(credential);
  return { identity: new KeysOrTokens(keys, tokens), isWellFormed, keysAge };
}

/** All are asymmetric: with `HS256` whoever can check tokens could make them, and `none` checks nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

function tokenRules(settings: Settings): TokenRules {
  return {
    issuer: needed(settings.JWT_ISSUER),
    audience: needed(settings.JWT_AUDIENCE),
    algorithms,
    // As far as the issuer's clock may differ: so long after its expiry a token is still accepted.
    clockTolerance: 30_000,
    ownerClaim: settings.JWT_OWNER_CLAIM,
    subjectClaim: settings.JWT_SUBJECT_CLAIM,
  };
}

/** How the issuer's keys are fetched: used for 10 minutes, and for an hour more where the issuer does not answer. */
export function issuerKeyOptions(settings: Settings): IssuerKeyOptions {
  return { url: needed(settings.JWT_JWKS_URL), maxAge: 600_000, staleIfError: 3_600_000 };
}

/** @throws Error unless the settings that tokens need are there, which reading them has checked */
function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a setting that tokens need is missing');
  return value;
}

/** While the issuer is away, each attempt would repeat the line; milliseconds. */
const betweenLines = 60_000;

/** Counts each fetch of the issuer's keys; logs the first, failures once a minute, and the first after a failure. */
export function issuerObserver(log: Log, count: (result: 'done' | 'failed') => void): IssuerObserver {
  const throttle = throttled(betweenLines);
  let isNews = true;
  return {
    fetched: (keys) => {
      count('done');
      if (isNews)
        log.info({ event: 'issuer-keys-fetched', count: keys }, 'the keys of the issuer were fetched');
      isNews = false;
    },
    failed: (error) => {
      count('failed');
      isNews = true;
      throttle((untold) =>
        log.warn(
          { event: 'issuer-keys-failed', untold, err: error },
          'the keys of the issuer of tokens cannot be fetched: see JWT_JWKS_URL, and whether the issuer answers',
        ),
      );
    },
  };
}
