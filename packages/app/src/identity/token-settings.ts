import type { IssuerKeyOptions, TokenRules } from '@campaign-mirror/adapters-jwt';
import type { Settings } from '../settings/settings.ts';

/** @throws Error unless the settings that tokens need are there, which reading them has checked */
export function tokenRules(settings: Settings): TokenRules {
  return {
    issuer: needed(settings.JWT_ISSUER),
    audience: needed(settings.JWT_AUDIENCE),
    algorithms: settings.JWT_ALGORITHMS,
    clockTolerance: settings.JWT_CLOCK_TOLERANCE,
    ownerClaim: settings.JWT_OWNER_CLAIM,
    subjectClaim: settings.JWT_SUBJECT_CLAIM,
  };
}

/** The same for the issuer's keys. */
export function issuerKeyOptions(settings: Settings): IssuerKeyOptions {
  return {
    url: needed(settings.JWT_JWKS_URL),
    maxAge: settings.JWT_KEYS_MAX_AGE,
    staleIfError: settings.JWT_KEYS_STALE_IF_ERROR,
  };
}

function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a setting that tokens need is missing');
  return value;
}
