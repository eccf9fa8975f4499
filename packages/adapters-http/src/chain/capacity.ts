import { answer, type Context, type Middleware, type Place } from './calls.ts';
import { faults } from './replies.ts';

/** How often it is measured how late the event loop is, in milliseconds. */
const betweenLooks = 20;

/** The limits that can be exceeded; `share` is that of one caller or campaign. */
export const overloads = ['requests', 'share', 'event-loop-delay', 'connections'] as const;
/** The limit that was exceeded. */
export type Overload = (typeof overloads)[number];

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
 * outcome is known, whether or not its caller still waits. Half of the places are for whoever comes first; while these are
 * taken, nobody gets more than an eighth of all.
 */
export class Capacity {
  readonly limits: CapacityLimits;
  /** Is called with each refusal: it must be cheap. */
  readonly refused: (overload: Overload) => void;
  /** How many turns of the event loop were too late, up to the last one. */
  #lateTurns = 0;
  readonly #watching: NodeJS.Timeout | undefined;
  /** In no order. An array, because a set hashes each place. */
  readonly #places: Place[] = [];
  /** When a request beyond a limit is refused, in milliseconds after its headers: a caller refused at once comes back at once. */
  #refusalDelay = 1_000;
  /** What ends the waits of refusals. */
  readonly #waits = new Set<() => void>();

  constructor(limits: CapacityLimits, refused: (overload: Overload) => void = () => {}) {
    if (!(limits.inFlight >= 0)) throw new TypeError('inFlight: not a number of requests');
    this.limits = limits;
    this.refused = refused;
    const { eventLoopDelay } = limits;
    if (eventLoopDelay === undefined) return;
    let due = performance.now() + betweenLooks;
    this.#watching = setInterval(() => {
      const now = performance.now();
      this.#lateTurns = now - due > eventLoopDelay ? this.#lateTurns + 1 : 0;
      due = now + betweenLooks;
    }, betweenLooks).unref();
  }

  get inFlight(): number {
    return this.#places.length;
  }

  /** Refuses requests that arrive while the load is too high, before their bodies are read. */
  readonly middleware: Middleware = (context, next) => {
    if (this.inFlight >= this.limits.inFlight) return this.#refuse(context, 'requests');
    // Once each turn takes too long, only less work helps. One alone, as for the collection of garbage, does not count.
    return this.#lateTurns > 1 ? this.#refuse(context, 'event-loop-delay') : next();
  };

  /** Continues with this place, in exchange for the one that the request has; 503 if there is none. */
  occupy(context: Context, place: Place, next: () => Promise<unknown>): Promise<unknown> {
    this.leave(context);
    const overload = this.#overloadOf(place);
    if (overload) return this.#refuse(context, overload);
    context.state.place = place;
    place.at = this.#places.push(place) - 1;
    return next();
  }

  /** Gives the place of the request back, if it has one. */
  leave({ state }: Context): void {
    const { at } = state.place ?? {};
    if (at === undefined) return;
    const last = this.#places.pop() as Place;
    // The last one fills the gap.
    if (last !== state.place) this.#places[at] = Object.assign(last, { at });
    state.place = undefined;
  }

  /** Gives the place of the request back, and waits until a second after its headers. A drain ends the wait. */
  hold(context: Context): Promise<void> {
    this.leave(context);
    const { promise, resolve } = Promise.withResolvers<void>();
    const left = context.state.began + this.#refusalDelay - performance.now();
    const timer = setTimeout(resolve, Math.max(left, 0)).unref();
    this.#waits.add(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waits.delete(resolve);
    });
  }

  /** From now on no refusal waits, and nothing is measured. */
  drain(): void {
    clearInterval(this.#watching);
    this.#lateTurns = 0;
    this.#refusalDelay = 0;
    for (const end of this.#waits) end();
  }

  async #refuse(context: Context, overload: Overload): Promise<void> {
    this.refused(overload);
    context.state.call.overload = true;
    await this.hold(context);
    answer(context, faults.unavailable);
  }

  #overloadOf({ caller, campaign, owner, key }: Place): Overload | undefined {
    const all = this.limits.inFlight;
    if (this.inFlight >= all) return 'requests';
    const share = Math.floor(all / 8);
    // Of fewer than eight places, none can be kept for everybody.
    if (this.inFlight < all / 2 || share === 0) return undefined;
    // Counted only now, since most requests come while half of the places are free.
    let ofCaller = 0;
    let ofCampaign = 0;
    const keys = new Set<string | undefined>();
    for (const place of this.#places) {
      if (place.caller === caller) {
        ofCaller += 1;
        keys.add(place.key);
      }
      if (campaign !== undefined && place.campaign === campaign && place.owner === owner) ofCampaign += 1;
    }
    // Many calls with one key do not keep out the other strangers of the network.
    const used = keys.has(key) ? ofCaller : keys.size;
    return used >= share || ofCampaign >= share ? 'share' : undefined;
  }
}
