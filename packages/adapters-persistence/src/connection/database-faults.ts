import { Unavailable } from '@campaign-mirror/domain';

/** SQLSTATEs of a database that is unreachable, full, starting or stopping, rejects the login, or was too slow. */
const awayClasses = new Set(['08', '28', '53', '57', '58']);
const awayCodes = new Set(['25006', '25P03', '25P04', '3D000', '55000', '55P03']);

/** A transaction that PostgreSQL ended so that another could continue: nothing of it was done. */
const retryable = new Set(['40001', '40P01']);

/** Classes of errors that mistakes in the code throw; those of Node have a code, such as ERR_INVALID_ARG_TYPE. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError];

const sqlState = /^[0-9A-Z]{5}$/;

export const isRetryable = (error: unknown) => retryable.has(codeOf(error));

/** Whether another transaction held a row for longer than the lock timeout: nothing was done. */
export const isLocked = (error: unknown) => codeOf(error) === '55P03' || isRetryable(error);

/**
 * Faults that a single member of a batch can cause for all: a value, a constraint, a program limit,
 * an exception from a trigger. Any other class may also come from a pooler or proxy in between, and then the outcome is
 * unknown.
 */
const membersClasses = new Set(['22', '23', '44', '54', 'P0']);

/** Whether nothing was done, and a single member of a batch may be the cause. */
export function isMembersFault(error: unknown): boolean {
  return error instanceof Unavailable ? isRetryable(error.cause) : isOfClass(membersClasses, error);
}

/** SQLSTATE classes: feature not supported, unknown prepared statement, syntax error or access rule violation. */
const statementsClasses = new Set(['0A', '26', '42']);

/** Whether the server rejected the statement itself, whatever its values: a right, a name, a type. Nothing was done. */
export const isStatementsFault = (error: unknown) => isOfClass(statementsClasses, error);

/** Whether a prepared statement of the connection is no longer valid, or is missing. */
export const isStalePlan = (error: unknown) => ['0A000', '26000'].includes(codeOf(error));

function isOfClass(classes: ReadonlySet<string>, error: unknown): boolean {
  const code = codeOf(error);
  return (
    error instanceof Error && sqlState.test(code) && !isSystemCode(error) && classes.has(code.slice(0, 2))
  );
}

/** Whether this error means that the database is unavailable. Anything else is a fault of this program. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || mistakes.some((mistake) => error instanceof mistake)) return false;
  const code = codeOf(error);
  if (code === '') {
    // The driver reports a lost connection or a missing answer by plain errors without a code.
    return error.constructor === Error || error.constructor === AggregateError;
  }
  if (sqlState.test(code) && !isSystemCode(error)) {
    // A sequence is behind its table: no statement brings a number of its own.
    const isNumberTaken =
      code === '23505' && /_pkey$/.test((error as { constraint?: string }).constraint ?? '');
    return awayClasses.has(code.slice(0, 2)) || awayCodes.has(code) || retryable.has(code) || isNumberTaken;
  }
  // A code of a socket, the resolver or TLS: ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED …
  return true;
}

/** What a port throws for a fault of the driver: `Unavailable` when the database is unavailable. */
export function portFault(error: unknown): unknown {
  return isDatabaseAway(error) ? new Unavailable('the database did not answer', { cause: error }) : error;
}

/** The SQLSTATE of a server error, or the code of a socket or of Node; '' if there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** `EPIPE` has the form of a SQLSTATE. */
function isSystemCode(error: Error): boolean {
  // MikroORM's exceptions have the property, without a value.
  const { syscall, errno } = error as NodeJS.ErrnoException;
  return syscall !== undefined || errno !== undefined;
}
