import { Unavailable } from '@campaign-mirror/domain';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose';

/** The largest key set that is read, in bytes. A key has some 400 to 2,000. */
const maxBytes = 262_144;

/** How long after a fetch, successful or failed, no token causes another fetch, in milliseconds. */
const cooldown = 5_000;

/** Notified of each fetch. */
export interface IssuerObserver {
  /** `keys`: how many the set has. */
  fetched(keys: number): void;
  /** A fetch failed. The error contains no token. */
  failed(error: unknown): void;
}

/** Where the keys of an issuer are, and how long they are used. */
export interface IssuerKeyOptions {
  /** The address of the key set (RFC 7517, section 5): `https`, or `http` on this machine; nothing here checks that. */
  readonly url: URL;
  /** How old the keys may be, in milliseconds; 10 minutes by default. A token after that waits for a fetch. */
  readonly maxAge?: number;
  /** How long a fetch may take, in milliseconds; 3 s by default. */
  readonly timeout?: number;
  readonly observer?: IssuerObserver;
}

/**
 * The public keys of an issuer. They are fetched for the first token, for one whose key is not among them, and when they
 * are too old: one fetch at a time, at most one in 5 s, whatever tokens arrive. A token that needs a fetch waits for it,
 * and gets `Unavailable` if it fails. `reload` fetches them at once, and rejects if that fails.
 */
export function issuerKeys({ url, maxAge = 600_000, timeout = 3_000, observer }: IssuerKeyOptions) {
  return createRemoteJWKSet(url, {
    cacheMaxAge: maxAge,
    cooldownDuration: cooldown,
    timeoutDuration: timeout,
    [customFetch]: observed(observer),
  });
}

/** Jose's own cooldown is for successful fetches: it would send a request to an unavailable issuer for each token. */
function observed(observer: IssuerObserver | undefined): FetchImplementation {
  let failure: { readonly at: number; readonly error: Unavailable } | undefined;
  return async (address, options) => {
    if (failure && performance.now() - failure.at < cooldown) throw failure.error;
    try {
      const text = await boundedText(await fetch(address, options));
      const set = JSON.parse(text);
      // Throws unless it is a key set.
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
  // If the loop ends early, the rest of the body is cancelled.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the key set exceeds ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
