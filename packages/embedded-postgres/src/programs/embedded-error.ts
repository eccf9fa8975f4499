/** An error with a message for the user: one line without secrets that says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
