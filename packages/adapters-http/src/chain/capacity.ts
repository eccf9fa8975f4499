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

/** Who has a place, named by the subject, or for a stranger by the network; and for which campaign. */
export interface Holder {
  readonly caller: string;
  /** Undefined for a stranger, who may not be allowed to name it. */
  readonly campaign?: number | undefined;
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
  /** Is called with each refusal. */
  readonly refused: (overload: Overload) => void;
  readonly #delay: EventLoopDelay | undefined;
  readonly #holders = new Set<Holder>();

  /** `refused` is called with each refusal: it must be cheap. */
  constructor(limits: CapacityLimits, refused: (overload: Overload) => void = () => {}) {
    this.limits = limits;
    if (limits.eventLoopDelay !== undefined) this.#delay = new EventLoopDelay(limits.eventLoopDelay);
    this.refused = refused;
  }

  /** Requests that are being carried out. */
  get inFlight(): number {
    return this.#holders.size;
  }

  /** Refuses requests that arrive while the load is too high, before their bodies are read. */
  readonly middleware: Middleware = (context, next) => {
    const overload = this.#overload;
    return overload ? this.refuse(context, overload) : next();
  };

  /** Takes a place, if there is one for this holder. */
  take(holder: Holder): Overload | undefined {
    const overload = this.#overloadOf(holder);
    if (!overload) this.#holders.add(holder);
    return overload;
  }

  /** Gives the place back, if it was taken. */
  leave(holder: Holder): void {
    this.#holders.delete(holder);
  }

  /** Answers 503, a second after the headers. */
  async refuse(context: Context, overload: Overload): Promise<void> {
    this.refused(overload);
    const { call, began } = context.state;
    call.overload = true;
    await pause(Math.max(0, began + refusalDelay - performance.now()), undefined, { ref: false });
    answer(context, faults.unavailable);
  }

  /** Stops measuring. */
  stop(): void {
    this.#delay?.stop();
  }

  get #overload(): Overload | undefined {
    if (this.inFlight >= this.limits.inFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }

  #overloadOf({ caller, campaign }: Holder): Overload | undefined {
    const all = this.limits.inFlight;
    if (this.inFlight >= all) return 'requests';
    const share = Math.floor(all / 8);
    // Of fewer than eight places, none can be kept for everybody.
    if (this.inFlight < all / 2 || share === 0) return undefined;
    // Counted only now, since most requests come while half of the places are free.
    let ofCaller = 0;
    let ofCampaign = 0;
    for (const holder of this.#holders) {
      if (holder.caller === caller) ofCaller += 1;
      if (campaign !== undefined && holder.campaign === campaign) ofCampaign += 1;
    }
    return ofCaller >= share || ofCampaign >= share ? 'share' : undefined;
  }
}

/** Milliseconds between two measurements. */
const resolution = 20;

/** Measures how late the event loop is. Once each of its turns takes too long, only less work helps. */
class EventLoopDelay {
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
