import { accessKey, type Identity } from '@campaign-mirror/domain';

/** Two identities: one for credentials that are well-formed access keys, one for all others. */
export function keysOrTokens(keys: Identity, tokens: Identity): Identity {
  const of = (credential: string) => (accessKey(credential) ? keys : tokens);
  return {
    claimedBy: (credential) => of(credential).claimedBy(credential),
    whoIs: (credential) => of(credential).whoIs(credential),
  };
}
