import type { AccessKey, Caller, Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import type { Exchange } from './exchange.ts';
import { LimitHeaders, secondsLeft } from './limit-headers.ts';
import type { Count, Limiter } from './limiter.ts';
import type { Replies, Reply } from './replies.ts';

/** What a limit of each key needs. */
export interface KeyLimitSettings {
  readonly limiter: Limiter;
  readonly identity: Identity;
  /** The use case with somebody else to ask who calls. */
  readonly useCaseFor: (identity: Identity) => SetCampaignMirror;
}

/** A limit of the requests of each key. */
export class KeyLimit {
  readonly #settings: KeyLimitSettings;
  readonly #headers: LimitHeaders;

  constructor(settings: KeyLimitSettings) {
    this.#settings = settings;
    this.#headers = new LimitHeaders('key', settings.limiter.rate);
  }

  /** Who calls by one request, which is counted, and the use case that asks this. */
  admission(exchange: Exchange): { readonly identity: CountedIdentity; readonly useCase: SetCampaignMirror } {
    const identity = new CountedIdentity(this.#settings, this.#headers, exchange);
    return { identity, useCase: this.#settings.useCaseFor(identity) };
  }
}

/**
 * Tells who calls by one request, and counts it for a key that is valid: after the key was looked up, and before
 * anything is said of the campaign (decisions: order of checks, 6). The core hears of no caller where there are too many.
 */
class CountedIdentity implements Identity {
  readonly #settings: KeyLimitSettings;
  readonly #headers: LimitHeaders;
  readonly #exchange: Exchange;
  #over: Count | undefined;

  constructor(settings: KeyLimitSettings, headers: LimitHeaders, exchange: Exchange) {
    this.#settings = settings;
    this.#headers = headers;
    this.#exchange = exchange;
  }

  async whoIs(key: AccessKey): Promise<Caller | undefined> {
    const { identity, limiter } = this.#settings;
    const caller = await identity.whoIs(key);
    if (!caller) return undefined;
    const count = await limiter.count(String(caller.accessKeyId));
    if (!count) return caller;
    this.#exchange.limitHeaders = this.#headers.of(count);
    if (count.consumed <= limiter.rate.most) return caller;
    this.#over = count;
    return undefined;
  }

  /** The answer to a request that was one too many, once it has been counted. */
  refusal(replies: Replies): Reply | undefined {
    return this.#over && replies.tooManyAttempts('rate', secondsLeft(this.#over));
  }
}
