/** What happened to the database. */
export type EmbeddedEvent =
  /** The cluster was created: the first start in this data folder. */
  | 'created'
  /** A server is being started. */
  | 'starting'
  | 'started'
  /** A running server is used. */
  | 'adopted'
  /** The connection that watches the server was lost, with or without the server. */
  | 'lost'
  /** After a pause, a server is looked for, and started if none runs. */
  | 'restarting'
  | 'restart-failed'
  /** Another server process runs now, on the same port. */
  | 'restarted'
  /** The server still runs; only the connection was lost. */
  | 'reconnected'
  | 'given-up'
  /** No other process uses the server: it is being stopped. */
  | 'stopping'
  /** It did not stop in time and was stopped immediately; the next start recovers. */
  | 'stop-forced'
  | 'stopped'
  /** Other processes use the server, or it could not be stopped. */
  | 'left-running';

/** For the application's log; the details contain no secret. Must not throw. */
export type EmbeddedEvents = (event: EmbeddedEvent, detail: Record<string, unknown>) => void;

/** Bounds of the supervision; those that end in `Ms` are in milliseconds. */
export interface SupervisionBounds {
  /** Attempts to bring the server back, without `healthyMs` of health in between. */
  attempts: number;
  /** The pause before the first attempt; it doubles up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
  healthyMs: number;
  /** How often to check whether the server was asked to shut down. */
  lookMs: number;
  /** How long a fast shutdown may take before it becomes an immediate one. */
  fastStopMs: number;
}

export const usualBounds: SupervisionBounds = {
  attempts: 10,
  firstPauseMs: 100,
  longestPauseMs: 5000,
  healthyMs: 60_000,
  lookMs: 5000,
  fastStopMs: 20_000,
};
