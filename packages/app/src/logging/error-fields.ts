/** The maximum that is logged of a chain of causes, a stack, and a message. */
const max = { causes: 5, frames: 10, characters: 1_000 };

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/**
 * What is logged of an error. Not its other fields: the driver's contain values (`detail`, `parameters`), which may be
 * addresses; MikroORM also puts them into the message.
 */
export function errorFields(error: unknown, causes = max.causes): ErrorFields {
  // Any other thrown value may contain anything, even a secret.
  if (!(error instanceof Error)) return { type: typeof error, message: 'no Error was thrown' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: String(error.name),
    message: withoutValues(String(error.message), typeof code === 'string' ? code : ''),
    ...(typeof code === 'string' && { code }),
    stack: frames(String(error.stack), String(error.message)),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
  };
}

/**
 * The classes of errors (PostgreSQL, appendix A) whose messages only name objects of the database. Others quote values:
 * `invalid input syntax for type bigint: "…"`.
 */
const namesOnly = /^(?:0[38]|2[358]|3[DF]|4[02]|5[34578])/;
const quotesTheStatement = '42601';

function withoutValues(message: string, code: string): string {
  if (
    /^[0-9A-Z]{5}$/.test(code) &&
    /[0-9]/.test(code) &&
    (!namesOnly.test(code) || code === quotesTheStatement)
  ) {
    return `the database refused a value or a statement (${code})`;
  }
  // It quotes a part of the invalid JSON.
  if (message.endsWith('is not valid JSON')) return 'not valid JSON';
  return withoutSecrets(message.split('\n - detail:')[0] ?? '').slice(0, max.characters);
}

/** For a message that contains a secret by mistake. */
function withoutSecrets(text: string): string {
  return text.replace(/\bcm_[0-9A-Za-z]{8,}/g, 'cm_…').replace(/:\/\/[^\s/]*@/g, '://…@');
}

/** Without the message at its beginning. */
function frames(stack: string, message: string): string {
  const begin = stack.indexOf(message);
  return stack
    .slice(begin === -1 ? 0 : begin + message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, max.frames)
    .join('\n');
}
