import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../answers/replies.ts';
import { answer } from './answer.ts';
import type { Context, Middleware } from './context.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { type Overload, type OverloadLog, OverloadSpells, silentOverloadLog } from './overload-spells.ts';

/**
 * How long after its headers a request beyond the capacity is refused, in milliseconds: a caller that is refused at once
 * comes back at once, and refusals use CPU that requests need.
 */
const refusalDelay = 1_000;

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
  readonly #spells: OverloadSpells;
  #inFlight = 0;

  constructor(limits: CapacityLimits, log: OverloadLog = silentOverloadLog) {
    this.limits = limits;
    if (limits.eventLoopDelay !== undefined) this.#delay = new EventLoopDelay(limits.eventLoopDelay);
    this.#spells = new OverloadSpells(log);
  }

  /** Requests that are being carried out. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Refuses requests that come while the load is too high, before anything is read of them. */
  middleware(refusal: Reply): Middleware {
    return (context, next) => {
      const overload = this.#overload;
      return overload ? this.#refuse(context, overload, refusal) : next();
    };
  }

  /** Carries a request out, or refuses it where too many others are carried out. */
  async carryOut(context: Context, refusal: Reply, run: () => Promise<void>): Promise<void> {
    if (this.#inFlight >= this.limits.inFlight) return this.#refuse(context, 'requests', refusal);
    this.#inFlight += 1;
    try {
      await run();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Counts a refusal. */
  refused(what: Overload): void {
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
    this.#spells.count(what);
  }

  /** Stops measuring, and reports what was refused. */
  stop(): void {
    this.#delay?.stop();
    this.#spells.stop();
  }

  get #overload(): Overload | undefined {
    if (this.#inFlight >= this.limits.inFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }

  async #refuse(context: Context, what: Overload, refusal: Reply): Promise<void> {
    this.refused(what);
    const { call } = context.state;
    call.overload = true;
    await pause(call.began + refusalDelay - performance.now(), undefined, { ref: false });
    answer(context, refusal);
  }
}

/** Accepts every request. */
export function unlimited(): Capacity {
  return new Capacity({ inFlight: Number.POSITIVE_INFINITY });
}
