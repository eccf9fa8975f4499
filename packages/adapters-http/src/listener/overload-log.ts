/** The limit that was exceeded. */
export type Overload = 'requests' | 'event-loop-delay' | 'pipelined-requests' | 'connections';

/** Receives overload as two events, however much there is: its beginning and its end. The app implements it. */
export interface OverloadLog {
  /** Something was refused, for the first time in a while. */
  began(what: Overload): void;
  /** Nothing was refused for a while: how much there was, and for how long, in milliseconds. */
  ended(what: Overload, refused: number, milliseconds: number): void;
}

export const silentOverloadLog: OverloadLog = { began: () => {}, ended: () => {} };
