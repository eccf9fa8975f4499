/* What errors of the driver mean: the SQLSTATEs that matter here (PostgreSQL, appendix A). */
import { Unavailable } from '@campaign-mirror/domain';
import { DriverException } from '@mikro-orm/core';

/** Tests an error by its SQLSTATE, or by the class, which is the first two characters. */
function hasCode(...codes: string[]) {
  return (error: unknown) => codes.includes(codeOf(error));
}
function isOfClass(...classes: string[]) {
  return (error: unknown) => hasSqlState(error) && classes.includes(codeOf(error).slice(0, 2));
}

/** The schema or one of its tables does not exist. */
export const isAbsent = hasCode('42P01', '3F000');
/** The role lacks a right. */
export const isForbidden = hasCode('42501');
const isNotUnique = hasCode('23505');
/** A function of the schema refused its arguments. */
export const isInvalidValue = hasCode('22023');
/** A limit of connections is reached. */
export const isFull = hasCode('53300');
/** PostgreSQL rolled back a transaction in favor of another one. */
export const isRetryable = hasCode('40001', '40P01');
/** A lock was not available within the lock timeout, or as `isRetryable`. Nothing was done. */
export const isLocked = hasCode('55P03', '40001', '40P01');
/** A prepared statement of the connection is stale or missing. */
export const isStalePlan = hasCode('0A000', '26000');
/** The server rejected the statement itself, whatever its values. Nothing was done. */
export const isStatementsFault = isOfClass('0A', '26', '42');
/** A value, a constraint, a program limit, an exception from a trigger. */
const isValuesFault = isOfClass('22', '23', '44', '54', 'P0');

/** Nothing was done, and a member of a batch may be the cause. Other classes may come from a proxy. */
export const isMembersFault = (error: unknown) =>
  error instanceof Unavailable ? isRetryable(error.cause) : isValuesFault(error);

/** The server is unreachable, full, starting or stopping, or rejects the login. */
const isServersFault = isOfClass('08', '28', '53', '57', '58');
/** The server is read-only, lacks the database, timed out, or is not in the required state. */
const isStatesFault = hasCode('25006', '25P03', '25P04', '3D000', '55000');

/** Whether the error means that the database is unavailable. Any other error is a fault of this program. */
export function isDatabaseAway(error: unknown): boolean {
  // Programming errors, also those of Node with a code.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return false;
  // A lost connection or a missing answer is a plain error without a code, which MikroORM wraps.
  if (codeOf(error) === '')
    return [Error, AggregateError, DriverException].includes(error.constructor as never);
  // A code of a socket, the resolver or TLS: ECONNRESET, EAI_AGAIN, CERT_HAS_EXPIRED …
  if (!hasSqlState(error)) return true;
  // A sequence is behind its table, or another transaction used an imported number.
  const isNumberTaken = isNotUnique(error) && /_pkey$/.test(Reflect.get(error, 'constraint') ?? '');
  return isServersFault(error) || isStatesFault(error) || isLocked(error) || isNumberTaken;
}

/** The error that a port throws for an error of the driver: `Unavailable` if the database is unavailable. */
export const portFault = (error: unknown) =>
  isDatabaseAway(error) ? new Unavailable('the database did not answer', { cause: error }) : error;
export const throwFault = (error: unknown): never => {
  throw portFault(error);
};

/** The SQLSTATE, or the code of a socket or of Node; '' if there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** System error codes such as `EPIPE` have the form of a SQLSTATE. */
function hasSqlState(error: unknown): boolean {
  // MikroORM's exceptions have these properties, but undefined.
  const { syscall, errno } = Object(error);
  return error instanceof Error && /^[0-9A-Z]{5}$/.test(codeOf(error)) && (syscall ?? errno) === undefined;
}
