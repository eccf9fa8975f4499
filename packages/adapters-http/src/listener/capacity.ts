import { type Clock, platformClock } from './clock.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { type Overload, type OverloadLog, silentOverloadLog } from './overload-log.ts';
import { Refusals } from './refusals.ts';

export interface CapacityLimits {
  /** Requests that are carried out at once; as many more may wait behind others of their connections. */
  readonly inFlight: number;
  /** Open connections, those that idle included. */
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

  /** How many were refused so far, by what there was too much of. */
  get refusals(): ReadonlyMap<Overload, number> {
    return this.#refused;
  }

  /** Why no request can be taken on now, if none can. */
  get overload(): Overload | undefined {
    if (this.#inFlight >= this.maxInFlight) return 'requests';
    return this.#delay?.tooLong ? 'event-loop-delay' : undefined;
  }

  /** False where there are too many; else the request is to be let go of when its outcome is there. */
  takeOn(): boolean {
    if (this.#inFlight >= this.maxInFlight) {
      this.refused('requests');
      return false;
    }
    this.#inFlight += 1;
    return true;
  }

  letGo(): void {
    this.#inFlight -= 1;
  }

  /** False where too many wait behind another request of their connection already. */
  lineUp(): boolean {
    if (this.#inLine >= this.maxInFlight) {
      this.refused('pipelined-requests');
      return false;
    }
    this.#inLine += 1;
    return true;
  }

  leaveLine(): void {
    this.#inLine -= 1;
  }

  refused(what: Overload): void {
    this.#refused.set(what, (this.#refused.get(what) ?? 0) + 1);
    this.#spells.count(what);
  }

  /** Measures no more, and tells of what was refused. */
  stop(): void {
    this.#delay?.stop();
    this.#spells.stop();
  }
}

/** Takes on whatever comes. */
export function unlimited(): Capacity {
  return new Capacity({ inFlight: Number.POSITIVE_INFINITY });
}
