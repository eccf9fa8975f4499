/** A span of time, in milliseconds of one monotonic clock. */
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
  readonly mirror?: StoredMirror;
}

/** What an act made true of a campaign. */
export interface CampaignFact {
  readonly campaign: number;
  readonly owner?: number;
  readonly isDefault?: boolean;
  /** The address of a mirror that was created; null: there is none. */
  readonly mirror?: string | null;
  readonly exists?: boolean;
}

export type Fact =
  | CampaignFact
  | { readonly key: number; readonly owner: number }
  | { readonly key: number; readonly isRevoked: true };

/** An operator's act that was committed. Acts that were refused or changed nothing are not recorded. */
export type RecordedAct = Span & Fact;

export interface RecordedRequest extends Span {
  readonly requestId: string;
}

/** A row of `mirror_history`. Times are texts of one form, so that they sort as times do. */
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

export interface StoredMirror {
  readonly id: number;
  readonly campaign: number;
  readonly address: string;
  readonly updatedAt: string;
}

export interface RunRecord {
  readonly calls: readonly RecordedCall[];
  readonly acts: readonly RecordedAct[];
  readonly operators: readonly RecordedRequest[];
  readonly history: readonly HistoryRow[];
  /** As they were at the end of the run, or when their campaign was deleted. */
  readonly mirrors: readonly StoredMirror[];
  /** The maximum duration of a call, in milliseconds. */
  readonly longestCall: number;
}
