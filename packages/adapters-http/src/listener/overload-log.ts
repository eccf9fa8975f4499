/** What there is too much of. */
export type Overload = 'requests' | 'event-loop-delay' | 'pipelined-requests' | 'connections';

/** Hears of overload, however much of it there is, twice: when it begins and when it is over. The app fills it. */
export interface OverloadLog {
  /** Something was refused, for the first time in a while. */
  began(what: Overload): void;
  /** Nothing was refused for a while: how much there was, and for how long, in milliseconds. */
  ended(what: Overload, refused: number, milliseconds: number): void;
}

export const silentOverloadLog: OverloadLog = { began: () => {}, ended: () => {} };
