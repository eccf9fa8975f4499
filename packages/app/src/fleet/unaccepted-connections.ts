import type { ChildProcess } from 'node:child_process';

/** What Node's cluster module and a worker tell each other of a connection; it documents none of it. */
interface Handing {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: Handing, handle?: { close(): void }, ...more: unknown[]) => boolean;

/** In milliseconds: what a worker said last is heard by then. */
const afterExit = 100;

/**
 * Closes the connections that were handed to a worker that is gone before it accepted them. Node keeps its own end of
 * each until the worker has, so that their callers would wait for an answer for ever.
 */
export function closeUnaccepted(worker: ChildProcess): void {
  const handed = new Map<number, { close(): void }>();
  const send = worker.send.bind(worker) as Send;
  const noting: Send = (message, handle, ...more) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle) handed.set(message.seq, handle);
    return send(message, handle, ...more);
  };
  worker.send = noting as ChildProcess['send'];
  worker.on('internalMessage', ({ ack }: Handing) => {
    if (ack !== undefined) handed.delete(ack);
  });
  // Node may keep such a worker's channel open, and then tells of no end of it but this.
  worker.once('exit', () => {
    setTimeout(() => {
      for (const handle of handed.values()) handle.close();
      handed.clear();
    }, afterExit).unref();
  });
}
