/**
 * A fault whose message is all that its reader needs: one line that says what is wrong and what to do.
 * It is printed as it is, without a stack, and holds no secret.
 */
export class ClearError extends Error {
  override name = 'ClearError';
}
