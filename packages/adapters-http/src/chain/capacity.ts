import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { answer, type Context, type Middleware } from './calls.ts';
import { faults } from './replies.ts';

/**
 * How long after its headers a request beyond the capacity is refused, in milliseconds: a caller that is refused at once
 * comes back at once, and refusals use CPU that requests need.
 */
const refusalDelay = 1_000;

/** The limit that was exceeded; `share` is that of one caller or campaign. */
export type Overload = 'requests' | 'share' | 'event-loop-delay' | 'connections';

/** The place of a request that is carried out. A caller is named by its subject, a stranger by its network. */
export interface Place {
  /**
   * Takes the place for this caller and campaign, instead of those who had it. If there is no place for them, it is
   * given back.
   */
  take(caller: string, campaign?: number): Overload | undefined;
  /** Gives the place back, if it was taken. */
  leave(): void;
}

/** The load above which requests are refused. */
export interface CapacityLimits {
  /** Requests carried out at once. */
  readonly inFlight: number;
  /** Open connections, including idle ones. */
  readonly connections?: number;
  /** How late the event loop may be, in milliseconds. */
  readonly eventLoopDelay?: number;
}

/**
 * The load that a listener accepts (contract: overload). A request counts from the last byte of its body until its
 * outcome is known, whether or not its caller still waits. Callers that send or read slowly use none of it.
 *
 * Half of the places are for whoever comes first. While these are taken, nobody gets more than an eighth of all.
 */
export class Capacity {
  readonly limits: CapacityLimits;
  /** The number of refusals so far, by reason. */
  readonly refusals = new Map<Overload, number>();
  readonly #delay: EventLoopDelay | undefined;
  readonly #onRefused: (overload: Overload) => void;
  /** The places that are taken. */
  readonly #places = new Set<RequestPlace>();

  /** `onRefused` is called with each refusal: it must be cheap. */
  constructor(limits: CapacityLimits, onRefused: (overload: Overload) => void = () => {}) {
    this.limits = limits;
    if (limits.eventLoopDelay !== undefined) this.#delay = new EventLoopDelay(limits.eventLoopDelay);
    this.#onRefused = onRefused;
  }

  /** Requests that are being carried out. */
  get inFlight(): number {
    return this.#places.size;
  }

  /** Refuses requests that arrive while the load is too high, before their bodies are read. */
  readonly middleware: Middleware = (context, next) => {
    const overload = this.#overload;
    return overload ? this.refuse(context, overload) : next();
  };

  /** The place of a request, which is yet to be taken. */
  place(): Place {
    return new RequestPlace(this.#places, this.limits.inFlight);
  }

  /** Answers 503, a second after the headers. */
  async refuse(context: Context, overload: Overload): Promise<void> {
    this.refused(overload);
    const { call, began } = context.state;
    call.overload = true;
    await pause(Math.max(0, began + refusalDelay - performance.now()), undefined, { ref: false });
    answer(context, faults.unavailable);
  }

  /** Counts a refusal. */
  refused(overload: Overload): void {
    this.refusals.set(overload, (this.refusals.get(overload) ?? 0) + 1);
    this.#onRefused(overload);
  }

  /** Stops measuring. */
  stop(): void {
    this.#delay?.stop();
  }

  get #overload(): Overload | undefined {
    if (this.inFlight >= this.limits.inFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }
}

/** Who holds a place is counted only if it matters, since most requests come while half of the places are free. */
class RequestPlace implements Place {
  readonly #taken: Set<RequestPlace>;
  readonly #all: number;
  #caller = '';
  #campaign: number | undefined;

  constructor(taken: Set<RequestPlace>, all: number) {
    this.#taken = taken;
    this.#all = all;
  }

  take(caller: string, campaign?: number): Overload | undefined {
    this.leave();
    this.#caller = caller;
    this.#campaign = campaign;
    const overload = this.#overload;
    if (!overload) this.#taken.add(this);
    return overload;
  }

  leave(): void {
    this.#taken.delete(this);
  }

  get #overload(): Overload | undefined {
    const { size } = this.#taken;
    if (size >= this.#all) return 'requests';
    const share = Math.floor(this.#all / 8);
    // Of fewer than eight places, none can be kept for everybody.
    if (size < this.#all / 2 || share === 0) return undefined;
    let ofCaller = 0;
    let ofCampaign = 0;
    for (const place of this.#taken) {
      if (place.#caller === this.#caller) ofCaller += 1;
      if (this.#campaign !== undefined && place.#campaign === this.#campaign) ofCampaign += 1;
    }
    return ofCaller >= share || ofCampaign >= share ? 'share' : undefined;
  }
}

/** Milliseconds between two measurements. */
const resolution = 20;

/** Measures how late the event loop is. Once each of its turns takes too long, only less work helps. */
export class EventLoopDelay {
  readonly #delays = monitorEventLoopDelay({ resolution });
  readonly #timer: NodeJS.Timeout;
  tooLong = false;

  /** `limit`: how late it may be, in milliseconds. */
  constructor(limit: number) {
    this.#delays.enable();
    this.#timer = setInterval(() => {
      // One late turn alone, as for the collection of garbage, does not count.
      if (this.#delays.count < 2) return;
      this.tooLong = this.#delays.min / 1e6 - resolution > limit;
      this.#delays.reset();
    }, resolution).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
    this.tooLong = false;
  }
}
