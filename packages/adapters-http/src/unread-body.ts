import type { IncomingMessage } from 'node:http';

/** How much of a body that nobody wants is read and thrown away: bytes, milliseconds. */
export interface Rest {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Reads and throws away what is left of a body, within bounds, then calls `done` once. */
export function discardRest(request: IncomingMessage, rest: Rest, done: () => void): void {
  let bytes = 0;
  const timer = setTimeout(finish, rest.milliseconds);
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > rest.bytes) finish();
  };
  request.on('data', count).once('end', finish).once('close', finish).resume();

  function finish() {
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish).pause();
    done();
  }
}
