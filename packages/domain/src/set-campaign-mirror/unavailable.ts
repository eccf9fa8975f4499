/**
 * Thrown by a port when what it stands for cannot be reached, or did not answer in time. The outcome of a
 * write is unknown then. The message holds no secret; `cause` is the fault as it was met.
 */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
