import { setTimeout as pause } from 'node:timers/promises';
import { faults } from '../answers/replies.ts';
import { answer, type Context, type Middleware } from './context.ts';
import { EventLoopDelay } from './event-loop-delay.ts';

/**
 * How long after its headers a request beyond the capacity is refused, in milliseconds: a caller that is refused at once
 * comes back at once, and refusals use CPU that requests need.
 */
const refusalDelay = 1_000;

/** The limit that was exceeded. */
export type Overload = 'requests' | 'event-loop-delay' | 'connections';

/** The load from which on requests are refused. */
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
 */
export class Capacity {
  readonly limits: CapacityLimits;
  /** The number of refusals so far, by reason. */
  readonly refusals = new Map<Overload, number>();
  readonly #delay: EventLoopDelay | undefined;
  readonly #onRefused: (what: Overload) => void;
  #inFlight = 0;

  /** `onRefused` is called with each refusal: it must be cheap. */
  constructor(limits: CapacityLimits, onRefused: (what: Overload) => void = () => {}) {
    this.limits = limits;
    if (limits.eventLoopDelay !== undefined) this.#delay = new EventLoopDelay(limits.eventLoopDelay);
    this.#onRefused = onRefused;
  }

  /** Requests that are being carried out. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Refuses requests that come while the load is too high, before anything is read of them. */
  readonly middleware: Middleware = (context, next) => {
    const overload = this.#overload;
    return overload ? this.refuse(context, overload) : next();
  };

  /** Takes a place for a request that is carried out now. False if there is none. */
  enter(): boolean {
    if (this.#inFlight >= this.limits.inFlight) return false;
    this.#inFlight += 1;
    return true;
  }

  /** Gives the place back. */
  leave(): void {
    this.#inFlight -= 1;
  }

  /** Answers 503, a second after the headers. */
  async refuse(context: Context, what: Overload): Promise<void> {
    this.refused(what);
    const { call, began } = context.state;
    call.overload = true;
    await pause(began + refusalDelay - performance.now(), undefined, { ref: false });
    answer(context, faults.unavailable);
  }

  /** Counts a refusal. */
  refused(what: Overload): void {
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
    this.#onRefused(what);
  }

  /** Stops measuring. */
  stop(): void {
    this.#delay?.stop();
  }

  get #overload(): Overload | undefined {
    if (this.#inFlight >= this.limits.inFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }
}
