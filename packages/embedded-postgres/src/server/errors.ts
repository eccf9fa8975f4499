/** An error with a message for the user: one line without secrets that says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

/** What messages advise, so that a program can say how its user does it. */
export const advice = {
  otherFolder: 'choose another data folder',
  otherServer: 'use a PostgreSQL server of your own',
};

/** A text as one line of at most 300 characters, for an `EmbeddedError`. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** What a file system's error on the data folder means to its owner; errors of another kind come back as they are. */
export function fileTrouble(error: unknown, folder: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new EmbeddedError(
    `The data folder ${folder} cannot be used (${oneLine(error.message)}): correct that, ${advice.otherFolder}, or ${advice.otherServer}.`,
  );
}
