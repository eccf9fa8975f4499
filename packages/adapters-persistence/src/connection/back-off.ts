import pg from 'pg';

/** How long an attempt to connect may be delayed after the first failure and after many, in milliseconds. */
const [first, most] = [20, 500];

type Connected = (error: Error) => void;

/**
 * A class of clients for one pool. While connections fail, each further attempt is delayed, at random and up to a limit
 * that doubles, so that a server that recovers is not flooded: at most 500 ms, and a quarter of the time that a caller
 * waits for a connection, in milliseconds (0: forever).
 */
export function backingOff(waitTimeout: number, random = Math.random): typeof pg.Client {
  const longest = waitTimeout > 0 ? Math.min(most, waitTimeout / 4) : most;
  let failures = 0;

  class BackingOff extends pg.Client {
    override connect(): Promise<this>;
    override connect(connected: Connected): void;
    override connect(connected?: Connected) {
      // The pool calls it with a callback only.
      if (!connected) return super.connect();
      const attempt = () =>
        super.connect((error?: Error) => {
          failures = error ? failures + 1 : 0;
          connected(error as Error);
        });
      if (failures === 0) return attempt();
      const limit = Math.min(longest, first * 2 ** (failures - 1));
      setTimeout(() => {
        const { stream } = (this as unknown as { connection: { stream: { destroyed: boolean } } }).connection;
        // By the pool, whose caller has waited for too long.
        if (stream.destroyed) connected(new Error('no connection in time'));
        else attempt();
      }, random() * limit);
    }
  }
  return BackingOff;
}
