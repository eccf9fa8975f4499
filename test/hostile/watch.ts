import type { Socket } from 'node:net';
import { inspect } from 'node:util';

/** In milliseconds. */
const patience = 30_000;

/** Where nothing comes to its end for 30 s, says what was sent on what is open, and rejects `stalled`. */
export function watch() {
  const open = new Map<Socket, Buffer>();
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => {});
  const timer = setTimeout(() => {
    const waiting = [...open].map(([{ connecting, writableLength, bytesRead }, sent]) => {
      return { connecting, writableLength, bytesRead, sent: sent.toString('latin1').slice(0, 500) };
    });
    const what = inspect(waiting, { depth: 3, maxArrayLength: null });
    reject(new Error(`nothing has come to its end for ${patience} ms: ${what}`));
  }, patience);
  /** Resolves when the other side has ended it, or it is broken. */
  const over = async (socket: Socket, sent: Buffer): Promise<void> => {
    open.set(socket, sent);
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    open.delete(socket);
    timer.refresh();
  };
  return { stalled, over, close: () => clearTimeout(timer) };
}
