import type { IssuerObserver } from '@campaign-mirror/adapters-jwt';
import { accessKey, type Identity } from '@campaign-mirror/domain';
import type { Settings } from '../settings/settings.ts';
import { issuerKeyOptions, tokenRules } from './token-settings.ts';

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
  observer: IssuerObserver,
): Promise<OpenIdentity> {
  const isKey = (credential: string) => accessKey(credential) !== undefined;
  if (settings.IDENTITY === 'keys') return { identity: keys, isWellFormed: isKey };
  const { IssuerKeys, JwtIdentity, KeysOrTokens, isTokenForm } = await import(
    '@campaign-mirror/adapters-jwt'
  );
  const issuerKeys = new IssuerKeys({ ...issuerKeyOptions(settings), observer });
  void issuerKeys.fetch();
  const tokens = new JwtIdentity(tokenRules(settings), issuerKeys);
  const keysAge = () => issuerKeys.age;
  if (settings.IDENTITY === 'jwt') return { identity: tokens, isWellFormed: isTokenForm, keysAge };
  const isWellFormed = (credential: string) => isKey(credential) || isTokenForm(credential);
  return { identity: new KeysOrTokens(keys, tokens), isWellFormed, keysAge };
}
