import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import type { LimitName } from '../limits/counts.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';

/** Messages from the primary to a worker. */
export type ToWorker =
  | {
      readonly kind: 'begin';
      readonly port: number;
      readonly poolSize: number;
      /** Of the embedded database; a worker finds your own one by its settings. */
      readonly address?: DatabaseAddress;
    }
  | { readonly kind: 'listen' }
  | { readonly kind: 'toggle-level' }
  /** Asks for its counts. */
  | { readonly kind: 'tell-counts' }
  /** `isRelieved`: another worker has taken its place. */
  | { readonly kind: 'end'; readonly isRelieved: boolean }
  /** Every connection meant for it has been handed over: it may exit. */
  | { readonly kind: 'farewell' }
  /** The answer to a question for counts: one for each key or address, in order. */
  | {
      readonly kind: 'counted';
      readonly limit: LimitName;
      readonly question: number;
      readonly counts: readonly (readonly [consumed: number, resetIn: number])[];
    };

/** Messages from a worker to the primary. */
export type ToPrimary =
  | { readonly kind: 'awake' }
  /** It could serve: only the listener is missing. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'listening'; readonly port: number }
  /** Its event loop runs. */
  | { readonly kind: 'beat' }
  /** Its counts since it began. */
  | { readonly kind: 'counts'; readonly counts: readonly MetricSnapshot[]; readonly asked: boolean }
  | { readonly kind: 'ending' }
  /** It cannot start: a line for the user. */
  | { readonly kind: 'fault'; readonly line: string }
  /** Counts these, for a limit shared by all workers. */
  | {
      readonly kind: 'count';
      readonly limit: LimitName;
      readonly question: number;
      readonly who: readonly string[];
    }
  /** Its listener is closed and every request is answered. */
  | { readonly kind: 'over' };
