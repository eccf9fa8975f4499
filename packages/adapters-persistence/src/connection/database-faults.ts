import { Unavailable } from '@campaign-mirror/domain';

/**
 * SQLSTATE classes and codes of a database that goes away, is full, starts or shuts down, no longer knows us,
 * or did not finish in time (PostgreSQL, appendix A).
 */
const awayClasses = new Set(['08', '28', '53', '57', '58']);
const awayCodes = new Set(['25006', '25P03', '25P04', '3D000', '55000', '55P03']);

/** A transaction that PostgreSQL ended so that another could go on: nothing of it was done. */
const retryable = new Set(['40001', '40P01']);

/** What a mistake in the code throws, Node's own with a code such as ERR_INVALID_ARG_TYPE. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError];

const sqlState = /^[0-9A-Z]{5}$/;

/** Whether another transaction held on to a row for longer than we were to wait: nothing was done. */
export function isHeld(error: unknown): boolean {
  return codeOf(error) === '55P03' || isRetryable(error);
}

/** Whether the statement ran into a time limit, or was canceled: nothing was done. */
export function isCanceled(error: unknown): error is Unavailable {
  return error instanceof Unavailable && codeOf(error.cause) === '57014';
}

export function isRetryable(error: unknown): boolean {
  return retryable.has(codeOf(error));
}

/**
 * SQLSTATE classes of faults that a single member of a batch can bring upon all: a value, a constraint, a limit of the
 * program, what a trigger raises. Any other class may come from whoever stands between us and the server, too, and then
 * nobody knows what was done.
 */
const membersClasses = new Set(['22', '23', '44', '54', 'P0']);

/** Whether nothing was done, and a single member of a batch may be at fault. */
export function isMembersFault(error: unknown): boolean {
  return error instanceof Unavailable ? isRetryable(error.cause) : isOfClass(membersClasses, error);
}

/** Not supported, unknown prepared statement, syntax error or access rule violation. */
const statementsClasses = new Set(['0A', '26', '42']);

/** Whether the server refused the statement itself, whatever its values: a right, a name, a type. Nothing was done. */
export function isStatementsFault(error: unknown): boolean {
  return isOfClass(statementsClasses, error);
}

/**
 * Whether the connection is as good as before: the server judged the statement and is ready for the next one. A stale
 * plan stays on its connection, and any other fault may leave it in a state that nobody knows.
 */
export function leavesConnection(error: unknown): boolean {
  if (isStalePlan(error)) return false;
  return isRetryable(error) || isOfClass(membersClasses, error) || isOfClass(statementsClasses, error);
}

/** Whether what the connection had prepared is no longer good: `cached plan must not change result type`, or it is gone. */
export function isStalePlan(error: unknown): boolean {
  return ['0A000', '26000'].includes(codeOf(error));
}

function isOfClass(classes: ReadonlySet<string>, error: unknown): boolean {
  const code = codeOf(error);
  return (
    error instanceof Error && sqlState.test(code) && !isSystemCode(error) && classes.has(code.slice(0, 2))
  );
}

/** Whether this is one of the ways in which a database goes away. Anything else is a fault of ours. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || mistakes.some((mistake) => error instanceof mistake)) return false;
  const code = codeOf(error);
  if (code === '') {
    // The driver says that a connection ended or an answer did not come by plain errors without a code.
    return error.constructor === Error || error.constructor === AggregateError;
  }
  if (sqlState.test(code) && !isSystemCode(error)) {
    return awayClasses.has(code.slice(0, 2)) || awayCodes.has(code) || retryable.has(code);
  }
  // A socket's, the resolver's or TLS's own code: ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED …
  return true;
}

/** What a port throws for a fault of the driver: `Unavailable` when the database went away. */
export function portFault(error: unknown): unknown {
  return isDatabaseAway(error) ? new Unavailable('the database did not answer', { cause: error }) : error;
}

/** The SQLSTATE of an error of the server, or the code of a socket or of Node; '' where it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** `EPIPE` has the shape of a SQLSTATE. */
function isSystemCode(error: Error): boolean {
  // MikroORM's exceptions have the property, without a value.
  const { syscall, errno } = error as NodeJS.ErrnoException;
  return syscall !== undefined || errno !== undefined;
}
