import type { ChildProcess } from 'node:child_process';

/** The undocumented messages of Node's cluster module about a connection. */
interface Handing {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: Handing, handle?: { close(): void }, ...more: unknown[]) => boolean;

/** In milliseconds: a worker's last messages have arrived by then. */
const afterExit = 100;

/**
 * Closes the connections that were handed to a worker which ended before it accepted them. Node keeps its own end of
 * each until the worker accepts it, so that callers would wait forever for an answer.
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
  // Node may keep such a worker's channel open, and then this is the only event at its end.
  worker.once('exit', () => {
    setTimeout(() => {
      for (const handle of handed.values()) handle.close();
      handed.clear();
    }, afterExit).unref();
  });
}
