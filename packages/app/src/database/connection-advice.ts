/* What to say to an operator about a fault of the database, in one line without a password. */
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';

export function nameOf({ host, port, database }: store.DatabaseAddress): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

export type Activity = 'connecting' | 'migrating' | 'acting';

/**
 * What to do. Each key is a regular expression, and the first that matches counts. It is for the beginning of `CODE MESSAGE`:
 * an SQLSTATE or a code of Node or OpenSSL, which the driver's own errors lack, and the words of the fault.
 */
type Advice = Readonly<Record<string, string>>;

export const namePrimary = 'name the primary in DATABASE_URL or PGHOST';

/** The server ended a statement in favour of another transaction, or because it took too long. */
const contended = '57014|55P03|40001|40P01|25P04';

/** After these the transaction is certainly undone; repeating it may succeed. */
const undone: Advice = {
  [contended]: 'repeat it',
  // No statement names a number of its own, except an import, for which another transaction can take it.
  '23505':
    'repeat it; if that fails, a sequence is behind its table: `./campaign-mirror doctor` names it, and the statement that mends it',
  '25006': namePrimary,
  '53300': 'end sessions, or raise its limit (max_connections, connection limit)',
  // With the dot it is no number, which JavaScript would put before the others.
  '53.': 'its log says which resource it lacks, such as disk space',
};

/** The configuration of the server or of the client is wrong: neither waiting nor repeating helps. */
const misconfigured: Advice = {
  // A pooler accepts few startup parameters. PgBouncer has this code for whatever it refuses.
  '08P01 .*startup parameter':
    'nothing was done; set DATABASE_POOLER=transaction, or connect to the server itself',
  '08P01 .*statement pooling': 'nothing was done; set pool_mode = transaction in the pooler',
  '28| SASL':
    'check the name of the user, its password and pg_hba.conf; if that lets it in with TLS only, set sslmode=verify-full',
  '3D000': 'create it, or correct DATABASE_URL or PGDATABASE',
  ' The server does not support SSL|ERR_SSL|ERR_TLS|ERR_OSSL|UNABLE_TO_|\\w*CERT':
    'check sslmode, the CA of its certificate (sslrootcert), the name that it is for, and the clocks',
};

/** What to do about a schema without a record of its migrations, as it is after a restore of the schema alone. */
export const withoutRecord =
  'put the schema aside (alter schema campaign_mirror rename to campaign_mirror_aside), then restore a whole dump (pg_restore --single-transaction), or, if there is none, run `./campaign-mirror migrate`';
export const migrate = 'run `./campaign-mirror migrate` as the owner of the schema';

/** A right or a table is missing. */
const unprepared: Readonly<Record<Activity, Advice>> = {
  connecting: { '42501': 'grant it CONNECT' },
  migrating: {
    // A table, a function or a trigger exists already.
    '42P07|42723|42710': `the schema has no record of its migrations: ${withoutRecord}`,
    '42P01|42703': `nothing was done; another program dropped or changed a table: ${withoutRecord}`,
    // What was missing is made again.
    '23502|23505':
      'nothing was done; rows that it would have refused were written meanwhile: correct or delete them as the owner of the schema, then repeat it',
    '2BP01':
      'nothing was done; drop the views that read those of campaign_mirror, repeat this, and make them again',
    '42501':
      `${migrate}, or if there is no schema yet, run ops/roles.sql in the database (\`./campaign-mirror doctor\` ` +
      'names what belongs to another role); start with RUN_MIGRATIONS=false',
  },
  acting: {
    '42P01|3F000': `it is not set up for this version: ${migrate}`,
    '42501':
      "use the operator's, or run `./campaign-mirror doctor`, which says which right is missing and who gives it",
  },
};

/**
 * The `ClearError` for a fault of the database, of the kind `away` if waiting or repeating may help; the error itself if
 * the database is not its cause. `remaining`: what is certain of an act that only reads, or is made in steps. `holders`: who
 * was seen to hold the locks that it waited for.
 */
export function clearFault(
  error: unknown,
  address: store.DatabaseAddress,
  activity: Activity,
  remaining?: string,
  holders?: string,
): unknown {
  // The migrations' own message says that their outcome is unknown.
  if (activity === 'migrating' && error instanceof Unavailable && !error.cause)
    return new ClearError(error.message, 'away');
  if (error instanceof store.UnfitDatabase) return new ClearError(error.message);
  const fault = causeOf(error);
  const database = `the database ${nameOf(address)}`;
  const lasting = adviceFor(fault, { ...unprepared[activity], ...misconfigured });
  if (lasting)
    return new ClearError(`${database}, user ${JSON.stringify(address.user)}: ${inWords(fault)}: ${lasting}`);
  const explained = undoneBy(error, address, holders);
  if (explained) {
    const { what, remedy = 'repeat it' } = explained;
    return new ClearError(`${what}: ${remaining ?? 'nothing was done'}; ${remedy}`, 'away');
  }
  if (!(error instanceof Unavailable) && !store.isDatabaseAway(error)) return error;
  const reason = reasonOf(fault);
  const advice = 'start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT';
  if (activity !== 'acting')
    return new ClearError(`${database} cannot be reached (${reason}): ${advice}`, 'away');
  const outcome = remaining
    ? `${remaining}; run it again`
    : 'it is unknown whether this was done; look at what there is, then repeat it';
  return new ClearError(`${database} became unavailable (${reason}): ${outcome}`, 'away');
}

export function notSetUp(address: store.DatabaseAddress): ClearError {
  const state = 'is not set up for this version (it is new, or of an earlier one)';
  return new ClearError(`the database ${nameOf(address)} ${state}: ${migrate}`);
}

/** Whether a database that cannot be connected to may recover soon: it is starting, full, or cannot be reached. */
export function mayComeBack(error: unknown): boolean {
  return (
    (error instanceof Unavailable || store.isDatabaseAway(error)) && !adviceFor(causeOf(error), misconfigured)
  );
}

/** What is wrong, and what to do, after a fault that certainly undid the transaction; undefined if it may have been committed. */
export function undoneBy(
  error: unknown,
  address: store.DatabaseAddress,
  holders = 'another transaction',
): { readonly what: string; readonly remedy?: string } | undefined {
  // Without a cause, this program gave up: other transactions came first each time.
  if (error instanceof Unavailable && error.cause === undefined) return { what: error.message };
  const fault = causeOf(error);
  const remedy = adviceFor(fault, undone);
  if (remedy === undefined) return undefined;
  const database = `the database ${nameOf(address)}`;
  if (remedy !== undone[contended]) return { what: `${database}: ${inWords(fault)}`, remedy };
  return { what: `${holders} holds what this is about, or ${database} is too slow (${reasonOf(fault)})` };
}

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error;
}

function adviceFor(error: unknown, advice: Advice): string | undefined {
  const fault = `${store.codeOf(error)} ${messageOf(error)}`;
  return Object.entries(advice).find(([faults]) => new RegExp(`^(?:${faults})`).test(fault))?.[1];
}

function inWords(error: unknown): string {
  const code = store.codeOf(error);
  return code ? `${messageOf(error)} (${code})` : messageOf(error);
}

/** The fault in a few words. 55000 says little without its message. */
function reasonOf(error: unknown): string {
  const code = store.codeOf(error);
  return (code !== '55000' && code) || inWords(error) || 'no answer';
}

function messageOf(error: unknown): string {
  // MikroORM appends values in further lines.
  return error instanceof Error ? error.message.replace(/\n.*/s, '') : '';
}
