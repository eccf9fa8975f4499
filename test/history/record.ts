/** What happened at some moment from `begin` to `end`, in milliseconds of one clock that never goes back. */
export interface Span {
  readonly begin: number;
  /** Infinity if nobody saw the end. */
  readonly end: number;
}

export interface RecordedCall extends Span {
  readonly requestId: string;
  readonly campaign: number;
  readonly key: number;
  readonly address: string;
  /** Undefined if the connection broke, or the caller gave up, before an answer. */
  readonly status: number | undefined;
  /** The last change that it requires; undefined: any. */
  readonly requires?: number | undefined;
  /** The mirror and its last change, as a 200 or a 412 tells them. */
  readonly lastChange?: number | undefined;
  readonly mirror?: Pick<StoredMirror, 'id' | 'campaign' | 'address' | 'clicks' | 'updatedAt'>;
}

export type Fact =
  | { readonly kind: 'campaign-created'; campaign: number; owner: number }
  | { readonly kind: 'campaign-deleted'; campaign: number }
  | { readonly kind: 'transferred'; campaign: number; owner: number }
  | { readonly kind: 'default-changed'; campaign: number; isDefault: boolean }
  | { readonly kind: 'mirror-created'; campaign: number; address: string }
  | { readonly kind: 'key-issued'; key: number; owner: number }
  /** Revoked, or made to expire so many milliseconds after the act. */
  | { readonly kind: 'key-ends'; key: number; after: number };

/** One that was committed. What was refused, or changed nothing, is not recorded. */
export type RecordedAct = Span & Fact;

/** An act of an operator that writes mirrors: `mirror move`. */
export interface Rewrite extends Span {
  readonly requestId: string;
  readonly wrote: readonly { readonly campaign: number; readonly address: string }[];
  /** Whether it may have written more than it told, since it did not end well. */
  readonly isUnsure: boolean;
}

/** A click that somebody else counted: on no mirror, if `counted` is false; undefined if it is unknown. */
export interface RecordedClick extends Span {
  readonly campaign: number;
  readonly counted: boolean | undefined;
}

/** A row of `mirror_history`; times are text of one form, which sorts as they do. */
export interface HistoryRow {
  readonly id: number;
  readonly campaign: number;
  readonly mirror: number;
  readonly key: number | null;
  readonly owner: number;
  readonly before: string;
  readonly after: string;
  readonly at: string;
  readonly requestId: string;
}

/** A mirror as it was in the end, or when its campaign was deleted. */
export interface StoredMirror {
  readonly id: number;
  readonly campaign: number;
  readonly address: string;
  readonly clicks: number;
  readonly updatedAt: string;
}

export interface RunRecord {
  readonly calls: readonly RecordedCall[];
  readonly acts: readonly RecordedAct[];
  readonly rewrites: readonly Rewrite[];
  readonly clicks: readonly RecordedClick[];
  readonly history: readonly HistoryRow[];
  readonly mirrors: readonly StoredMirror[];
  /** How long a call may take, in milliseconds. */
  readonly longestCall: number;
}
