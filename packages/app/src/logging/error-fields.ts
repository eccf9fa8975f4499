/** What is logged of an error and its causes. Other fields, such as `detail`, contain values like addresses. */
export function errorFields(error: unknown, causes = 5): Readonly<Record<string, unknown>> {
  // A value that is not an error may contain anything, even a secret.
  if (!(error instanceof Error)) return { type: typeof error, message: 'no Error was thrown' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  // The stack begins with the message.
  const stack = String(error.stack).replace(String(error.message), '');
  return {
    type: String(error.name),
    message: withoutValues(String(error.message), typeof code === 'string' ? code : ''),
    ...(typeof code === 'string' && { code }),
    stack: (stack.match(/^\s+at .*/gm) ?? []).slice(0, 10).join('\n'),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
  };
}

/** The classes of errors (PostgreSQL, appendix A) whose messages quote no values: not 42601, which quotes statements. */
const classesWithoutValues = /^(?!42601)(?:0[38]|2[358]|3[DF]|4[02]|5[34578])/;

function withoutValues(message: string, code: string): string {
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code);
  if (isSqlState && !classesWithoutValues.test(code))
    return `the database refused a value or a statement (${code})`;
  // The message of JSON.parse quotes a part of the text.
  if (message.endsWith('is not valid JSON')) return 'not valid JSON';
  // MikroORM appends values in further lines.
  return withoutSecrets(message.split('\n - detail:')[0] ?? '').slice(0, 1_000);
}

/** Hides keys, and users and passwords in URLs, that a text contains by mistake. */
export function withoutSecrets(text: string): string {
  return text.replace(/\bcm_[0-9A-Za-z]{8,}/g, 'cm_…').replace(/:\/\/[^\s/]*@/g, '://…@');
}
