import { type Clock, platformClock } from './clock.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { type Overload, type OverloadLog, Refusals, silentOverloadLog } from './refusals.ts';

/** The load from which on requests are refused. */
export interface CapacityLimits {
  /** Requests carried out at once. As many again may wait behind other requests of their connections. */
  readonly inFlight: number;
  /** Open connections, including idle ones. */
  readonly connections?: number;
  /** How late the event loop may be, in milliseconds. */
  readonly eventLoopDelay?: number;
}

/**
 * The load that a listener accepts (contract: order of checks, 0). A request counts from the last byte of its body
 * until its outcome is known, whether or not its caller still waits. Callers that send or read slowly use none of it.
 */
export class Capacity {
  readonly connections: number | undefined;
  /** Requests that are carried out at once. */
  readonly maxInFlight: number;
  readonly #refused = new Map<Overload, number>();
  readonly #delay: EventLoopDelay | undefined;
  readonly #spells: Refusals;
  #inFlight = 0;
  #inLine = 0;

  constructor(
    { inFlight, connections, eventLoopDelay }: CapacityLimits,
    log: OverloadLog = silentOverloadLog,
    clock: Clock = platformClock,
  ) {
    this.maxInFlight = inFlight;
    this.connections = connections;
    if (eventLoopDelay !== undefined) this.#delay = new EventLoopDelay(eventLoopDelay, clock);
    this.#spells = new Refusals(log, clock);
  }

  /** Requests that are being carried out. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait behind others of their connections. */
  get inLine(): number {
    return this.#inLine;
  }

  /** The number of refusals so far, by reason. */
  get refusals(): ReadonlyMap<Overload, number> {
    return this.#refused;
  }

  /** Why no request can be accepted now; undefined if one can. */
  get overload(): Overload | undefined {
    if (this.#inFlight >= this.maxInFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }

  /** False if there are too many. After true, call `letGo` when the outcome of the request is known. */
  takeOn(): boolean {
    if (this.#inFlight >= this.maxInFlight) {
      this.refused('requests');
      return false;
    }
    this.#inFlight += 1;
    return true;
  }

  /** Ends what `takeOn` began. */
  letGo(): void {
    this.#inFlight -= 1;
  }

  /** False if too many requests already wait behind others of their connections. */
  lineUp(): boolean {
    if (this.#inLine >= this.maxInFlight) {
      this.refused('pipelined-requests');
      return false;
    }
    this.#inLine += 1;
    return true;
  }

  /** Ends what `lineUp` began. */
  leaveLine(): void {
    this.#inLine -= 1;
  }

  /** Counts a refusal. */
  refused(what: Overload): void {
    this.#refused.set(what, (this.#refused.get(what) ?? 0) + 1);
    this.#spells.count(what);
  }

  /** Stops measuring, and reports what was refused. */
  stop(): void {
    this.#delay?.stop();
    this.#spells.stop();
  }
}

/** Accepts every request. */
export function unlimited(): Capacity {
  return new Capacity({ inFlight: Number.POSITIVE_INFINITY });
}
