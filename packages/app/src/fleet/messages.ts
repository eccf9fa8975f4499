import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import type { LimitName } from '../limits/counts.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';

/** What the primary tells a worker. */
export type ToWorker =
  | {
      readonly kind: 'begin';
      readonly port: number;
      readonly poolSize: number;
      /** Of the embedded database; to your own one a worker knows the way by its settings. */
      readonly address?: DatabaseAddress;
    }
  | { readonly kind: 'listen' }
  | { readonly kind: 'toggle-level' }
  /** What it has counted is wanted. */
  | { readonly kind: 'tell-counts' }
  /** `isRelieved`: another worker has taken its place. */
  | { readonly kind: 'end'; readonly isRelieved: boolean }
  /** Every connection that was to be handed over has been: it may go. */
  | { readonly kind: 'farewell' }
  /** The answer to a question for counts; of each who was asked for, in their order. */
  | {
      readonly kind: 'counted';
      readonly limit: LimitName;
      readonly question: number;
      readonly counts: readonly (readonly [consumed: number, resetIn: number])[];
    };

/** What a worker tells the primary. */
export type ToPrimary =
  | { readonly kind: 'awake' }
  /** It could serve: only the listener is missing. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'listening'; readonly port: number }
  /** Its event loop runs. */
  | { readonly kind: 'beat' }
  /** What it has counted since it began. */
  | { readonly kind: 'counts'; readonly counts: readonly MetricSnapshot[]; readonly asked: boolean }
  | { readonly kind: 'ending' }
  /** It cannot start: a line for the user. */
  | { readonly kind: 'fault'; readonly line: string }
  /** These are to be counted, for a limit that holds for all workers together. */
  | {
      readonly kind: 'count';
      readonly limit: LimitName;
      readonly question: number;
      readonly who: readonly string[];
    }
  /** Its listener is closed, all is answered. */
  | { readonly kind: 'over' };
