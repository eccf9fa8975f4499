/** An error with a message for the user: one line without secrets that says what is wrong and what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}

/** The advice in messages. A program may replace it by how its own user does that. */
export const advice = {
  otherFolder: 'choose another data folder',
  otherServer: 'use a PostgreSQL server of your own',
};

/** Says that the data folder cannot be used, and why: `output` is the reason, or what a program that failed wrote. */
export function unusable(folder: string, output: string, remedy = 'correct that'): EmbeddedError {
  const reason = /(?:FATAL|PANIC|error):\s+(.*)/.exec(output)?.[1] ?? output.trim().split('\n').at(-1);
  const by = process.getuid?.() === 0 ? ' by PostgreSQL, which runs as postgres or nobody for root' : '';
  const remedies = `${remedy}, ${advice.otherFolder}, or ${advice.otherServer}`;
  return new EmbeddedError(`The data folder ${folder} cannot be used${by} (${reason}): ${remedies}.`);
}
