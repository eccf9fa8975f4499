/**
 * Thrown by every call of a port when what is behind it cannot be reached or did not answer in time. The outcome of a
 * write is then unknown. The message contains no secret; `cause` is the original error.
 */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
