import type { IncomingMessage } from 'node:http';
import type { Clock } from './clock.ts';

/** How much of an unwanted body is read and discarded. */
export interface Rest {
  readonly bytes: number;
  readonly milliseconds: number;
  readonly clock: Clock;
}

let turn: Promise<void> | undefined;

/** One for all that ask in a turn of the event loop: an immediate of each request's own would cost each of them. */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined;
      resolve();
    });
  });
  return turn;
}

/**
 * Whether the whole body came along with the headers: Node's parser has read it, then, by the end of the event loop's
 * turn in which this is asked, and nothing is left unread.
 */
export function cameAlong(request: IncomingMessage): Promise<boolean> {
  return endOfTurn().then(() => request.complete);
}

/** Reads and discards the rest of a body, within bounds, then calls `done` once. */
export function discardRest(request: IncomingMessage, rest: Rest, done: () => void): void {
  const { clock } = rest;
  let bytes = 0;
  const timer = clock.setTimeout(finish, rest.milliseconds);
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > rest.bytes) finish();
  };
  request.on('data', count).once('end', finish).once('close', finish).resume();

  function finish() {
    clock.clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish).pause();
    done();
  }
}
