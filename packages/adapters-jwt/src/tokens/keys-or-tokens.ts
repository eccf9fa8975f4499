import { accessKey, type Caller, type Identity } from '@campaign-mirror/domain';

/** Two identities: one for credentials that are well-formed access keys, one for all others. */
export class KeysOrTokens implements Identity {
  readonly #keys: Identity;
  readonly #tokens: Identity;

  constructor(keys: Identity, tokens: Identity) {
    this.#keys = keys;
    this.#tokens = tokens;
  }

  claimedBy(credential: string): Promise<Caller | undefined> {
    return this.#of(credential).claimedBy(credential);
  }

  whoIs(credential: string): Promise<Caller | undefined> {
    return this.#of(credential).whoIs(credential);
  }

  #of(credential: string): Identity {
    return accessKey(credential) ? this.#keys : this.#tokens;
  }
}
