/** A fault whose message is all that its reader needs: one line that says what is wrong and what to do, and no secret. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
