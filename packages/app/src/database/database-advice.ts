/* The message for an operator about a fault of the database: one line, without a password. */
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';

export const namePrimary = 'name the primary in DATABASE_URL or PGHOST';
export const migrate = 'run `./campaign-mirror migrate` as the owner of the schema';
export const restore = 'restore a backup (docs/how-to/backup-and-restore.md)';

/** Advice for faults that roll the transaction back. The first pattern that matches `CODE MESSAGE` counts. */
const undone = {
  '^(57014|55P03|40001|40P01|25P04)':
    'another transaction holds what this is about, or the database is too slow: repeat it',
  // Only an import names numbers itself. Another transaction can use one of them first.
  '^23505':
    'repeat it; if that fails, a sequence is behind its table: `./campaign-mirror doctor` names it, and the ' +
    'statement that mends it',
  '^25006': namePrimary,
  '^53300': 'end sessions, or raise its limit (max_connections, connection limit)',
  '^53': 'its log says which resource it lacks, such as disk space',
};

/** The same for faults that last until somebody changes the server, the settings or the schema. */
const lasting = {
  // PgBouncer uses this code for every refusal.
  '^08P01 .*startup parameter': 'set DATABASE_POOLER=transaction, or connect to the server itself',
  '^08P01 .*statement pooling': 'set pool_mode = transaction in the pooler',
  '^ no password': 'set PGPASSWORD, or put it into DATABASE_URL',
  '^(28| SASL)':
    'check the name of the user, its password and pg_hba.conf; if that requires TLS, set sslmode=verify-full',
  '^3D000': 'correct DATABASE_URL or PGDATABASE; for a new system, create it (docs/how-to/own-postgresql.md)',
  '^( The server does not support SSL|ERR_SSL|ERR_TLS|ERR_OSSL|UNABLE_TO_|\\w*CERT)':
    'check sslmode, the CA of its certificate (sslrootcert), the name that it is for, and the clocks',
  '^42501':
    'run ops/roles.sql in the database, then `./campaign-mirror migrate` as the owner of the schema; run other ' +
    'commands as the operator, and start the service with RUN_MIGRATIONS=false',
  '^(42P01|42P07|42703|42710|42723|42883|3F000)':
    'a part of the schema is missing: `./campaign-mirror doctor` names it, and what to do',
};

export function nameOf({ host, port, database }: store.DatabaseAddress): string {
  return `the database ${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

/** A `ClearError`, or the error if the database is not its cause. `certain`: what is known about the failed work. */
export function clearFault(
  error: unknown,
  address: store.DatabaseAddress,
  act?: { readonly certain?: string | undefined },
): unknown {
  const certain = act?.certain ?? 'nothing was done';
  const fault = causeOf(error);
  // Other transactions came first in every attempt.
  if (fault instanceof Unavailable)
    return new ClearError(`${fault.message}: ${certain}; repeat it`, 'unavailable');
  const code = store.codeOf(fault);
  const message = messageOf(fault);
  const what = `${nameOf(address)}, user ${JSON.stringify(address.user)}: ${message}${code && ` (${code})`}`;
  const toChange = adviceIn(lasting, fault);
  if (toChange) return new ClearError(`${what}: ${toChange}`);
  const toRepeat = adviceIn(undone, fault);
  if (toRepeat) return new ClearError(`${what}: ${certain}; ${toRepeat}`, 'unavailable');
  if (!isAway(error)) return error;
  const reason = code || message || 'no answer';
  const toDo = 'start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT';
  if (!act) return new ClearError(`${nameOf(address)} cannot be reached (${reason}): ${toDo}`, 'unavailable');
  const outcome = act.certain
    ? `${act.certain}; run it again`
    : 'it is unknown whether this was done: check it, then repeat it';
  return new ClearError(`${nameOf(address)} became unavailable (${reason}): ${outcome}`, 'unavailable');
}

/** Whether the database may recover soon: it is starting, full, or cannot be reached. */
export const isTransient = (error: unknown) => isAway(error) && !adviceIn(lasting, causeOf(error));

const isAway = (error: unknown) => error instanceof Unavailable || store.isDatabaseAway(error);
const causeOf = (error: unknown) => (error instanceof Unavailable ? (error.cause ?? error) : error);

function adviceIn(advices: Readonly<Record<string, string>>, fault: unknown): string | undefined {
  const text = `${store.codeOf(fault)} ${messageOf(fault)}`;
  return Object.entries(advices).find(([pattern]) => new RegExp(pattern).test(text))?.[1];
}

/** MikroORM appends values in further lines. For a missing password, the driver's message is unclear. */
const messageOf = (error: unknown) =>
  `${(error as Error)?.message ?? ''}`
    .replace(/\n.*/s, '')
    .replace(/^SASL.* must be a .*/, 'no password is given');
