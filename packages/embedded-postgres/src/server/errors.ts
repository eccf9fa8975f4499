/** An error with a message for the user: one line without secrets that says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

/** The advice in messages. A program may replace it by how its own user does that. */
export const advice = {
  otherFolder: 'choose another data folder',
  otherServer: 'use a PostgreSQL server of your own',
};

/** A text as one line of at most 300 characters, for an `EmbeddedError`. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}
