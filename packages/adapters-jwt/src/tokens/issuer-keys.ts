import { Unavailable } from '@campaign-mirror/domain';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose';

/** The maximum size of a key set, in bytes. A key has about 400 to 2,000. */
const maxBytes = 262_144;

/** The minimum time between two fetches, in milliseconds. */
const cooldown = 5_000;

/** Receives the result of each fetch. */
export interface IssuerObserver {
  /** `keys`: the number of keys in the set. */
  fetched(keys: number): void;
  /** A fetch failed. The error contains no token. */
  failed(error: unknown): void;
}

/** Where to fetch the keys of an issuer, and when. */
export interface IssuerKeyOptions {
  /** The address of the key set (RFC 7517, section 5): `https`, or `http` on this machine; nothing here checks that. */
  readonly url: URL;
  /** The maximum age of the keys, in milliseconds; 10 minutes by default. */
  readonly maxAge?: number;
  /** The time limit of a fetch, in milliseconds; 3 s by default. */
  readonly timeout?: number;
  readonly observer?: IssuerObserver;
}

/**
 * The public keys of an issuer. They are fetched for the first token, for an unknown key, and when they are too old:
 * one fetch at a time, at most one in 5 s. A token that needs a fetch waits for it; a failure throws `Unavailable`.
 * `reload` fetches them at once, and rejects on a failure.
 */
export function issuerKeys({ url, maxAge = 600_000, timeout = 3_000, observer }: IssuerKeyOptions) {
  return createRemoteJWKSet(url, {
    cacheMaxAge: maxAge,
    cooldownDuration: cooldown,
    timeoutDuration: timeout,
    [customFetch]: observed(observer),
  });
}

/** Jose applies its cooldown to successful fetches only: each token would cause a request to an unavailable issuer. */
function observed(observer: IssuerObserver | undefined): FetchImplementation {
  let failure: { readonly at: number; readonly error: Unavailable } | undefined;
  return async (address, options) => {
    if (failure && performance.now() - failure.at < cooldown) throw failure.error;
    try {
      const text = await boundedText(await fetch(address, options));
      const set = JSON.parse(text);
      // Throws if the text is no key set.
      createLocalJWKSet(set);
      failure = undefined;
      observer?.fetched(set.keys.length);
      return new Response(text);
    } catch (cause) {
      const error = new Unavailable('the keys of the issuer of tokens cannot be fetched', { cause });
      failure = { at: performance.now(), error };
      observer?.failed(cause);
      throw error;
    }
  };
}

async function boundedText({ status, body }: Response): Promise<string> {
  if (status !== 200 || !body) {
    await body?.cancel();
    throw new Error(`the address of the keys answers ${status}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the key set exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
