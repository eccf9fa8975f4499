/*
 * What to say to an operator about a fault of the database: what is wrong and what to do, in one line without a password.
 * The advice is chosen by the code of the fault, and quotes the server's own words where they say more.
 */
import type { Undone } from '@campaign-mirror/adapters-cli';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  codeOf,
  type DatabaseAddress,
  isDatabaseAway,
  UnfitDatabase,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';

/** The database by its address, without a password. */
export function nameOf({ host, port, database }: DatabaseAddress): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

export type Activity = 'connecting' | 'migrating' | 'acting';

/**
 * Texts by the codes that they are for: each key is a regular expression for a whole code, and the first that matches
 * counts. A text may contain `{database}`, `{user}`, `{reason}` (the code, or a message without one), `{message}` and
 * `{holders}`.
 */
type Advice<Text> = Readonly<Record<string, Text>>;

/**
 * The code of a fault: an SQLSTATE, or a code of Node or OpenSSL. Four faults get a code of ours, which their message
 * decides: with the one that they have, or without one, they look like an outage, and a start would wait for them.
 */
function faultCode(error: unknown): string {
  const code = codeOf(error);
  const message = messageOf(error);
  // A pooler accepts few startup parameters. PgBouncer has this code for whatever it refuses.
  if (code === '08P01' && message.includes('startup parameter')) return 'POOLER_REFUSED_PARAMETER';
  if (code === '08P01' && message.includes('statement pooling')) return 'POOLER_ENDS_TRANSACTIONS';
  if (code !== '') return code;
  // The driver's own errors have no code.
  if (message.startsWith('The server does not support SSL')) return 'NO_TLS';
  if (message.startsWith('SASL')) return 'NO_PASSWORD';
  return '';
}

export const namePrimary = 'name the primary in DATABASE_URL or PGHOST';

/** After these the transaction is certainly undone; repeating it may succeed. */
const undone: Advice<Undone> = {
  '57014|55P03|40001|40P01|25P04': {
    what: '{holders} holds what this is about, or {database} is too slow ({reason})',
  },
  // No statement names a number of its own, except an import, which handles this error itself.
  '23505': {
    what: 'a sequence of {database} is behind its table, and has assigned a number that is taken',
    remedy: '`./campaign-mirror doctor` names it, and the statement that mends it',
  },
  '25006': { what: '{database} takes no writes (a standby, or set to read only)', remedy: namePrimary },
  '53300': {
    what: '{database} has no connection left ({reason})',
    remedy: 'end sessions, or raise its limit (max_connections, connection limit)',
  },
  '53100': { what: 'the disk of {database} is full ({reason})', remedy: 'make its volume larger' },
  '53...': { what: '{database} lacks memory or another resource ({reason})', remedy: 'its log says which' },
};

/** The configuration of the server or of the client is wrong: neither waiting nor repeating helps. */
const misconfigured: Advice<string> = {
  POOLER_REFUSED_PARAMETER:
    'the pooler of {database} refuses the connection ({reason}): nothing was done; set DATABASE_POOLER=transaction, or connect to the server itself',
  POOLER_ENDS_TRANSACTIONS:
    'the pooler of {database} is in statement mode ({reason}): nothing was done; set pool_mode = transaction there',
  NO_TLS:
    '{database} does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable',
  '28000':
    '{database} lets the user {user} in with TLS only, or not at all: set sslmode=verify-full, or check its name and pg_hba.conf ({message})',
  '28...|NO_PASSWORD': '{database} refuses the user {user}: check its name, its password and pg_hba.conf',
  '3D000': '{database} does not exist: create it, or correct DATABASE_URL or PGDATABASE',
  'DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_SIGNATURE_FAILURE':
    '{database} has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT',
  ERR_TLS_CERT_ALTNAME_INVALID:
    '{database} has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca',
  'ERR_(SSL|TLS|OSSL)_.*|.*CERT.*':
    '{database} and we cannot agree on TLS ({reason}): check its settings (ssl_…), its certificate and the clocks',
};

/** What to do about a schema without a record of its migrations, as it is after a restore of the schema alone. */
export const withoutRecord =
  'drop the schema (drop schema campaign_mirror cascade), then restore a whole dump (pg_restore --single-transaction), or, if there is none, run `./campaign-mirror migrate`';
const migrate = 'run `./campaign-mirror migrate` as the owner of the schema';
const notSetUpText = `{database} is not set up for this version (it is new, or of an earlier one): ${migrate}`;

/** A right or a table is missing. */
const unprepared: Readonly<Record<Activity, Advice<string>>> = {
  connecting: { '42501': 'the user {user} may not use {database} ({message}): grant it CONNECT' },
  migrating: {
    // A table, a function or a trigger exists already.
    '42P07|42723|42710': `{database} has a schema campaign_mirror without a record of its migrations ({message}): ${withoutRecord}`,
    '42P01': `{database} has lost tables ({message}): another program dropped them, such as an ORM that updates its own schema; nothing was done: ${withoutRecord}`,
    '42501': `the user {user} may not migrate {database} ({message}): ${migrate}, or if there is no schema yet, \`./campaign-mirror roles create\` as the owner of the database; start with RUN_MIGRATIONS=false`,
  },
  acting: {
    '2200H':
      '{database} has assigned the last number of its range ({message}): nothing was done; widen it with `./campaign-mirror migrate --numbers`, or use another installation',
    '42P01|3F000': notSetUpText,
    '42501': `the user {user} of {database} lacks a right ({message}): use the operator's, or run \`./campaign-mirror doctor\`, which says which is missing and who gives it`,
  },
};

const unreachable =
  '{database} cannot be reached ({reason}): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT';
const lost = '{database} became unavailable ({reason})';
const unknownOutcome = 'it is unknown whether this was done; look at what there is, then repeat it';

/**
 * The `ClearError` for a fault of the database, of the kind `away` if waiting or repeating may help; the error itself if
 * the database is not its cause. `remaining`: what remains of an act whose outcome is never unknown, because it only
 * reads. `holders`: who was seen to hold the locks that it waited for.
 */
export function clearFault(
  error: unknown,
  address: DatabaseAddress,
  activity: Activity,
  remaining?: string,
  holders?: string,
): unknown {
  // The migrations' own message says that their outcome is unknown.
  if (activity === 'migrating' && error instanceof Unavailable && !error.cause)
    return new ClearError(error.message, 'away');
  const fault = causeOf(error);
  if (fault instanceof UnfitDatabase) return new ClearError(fault.message);
  const lasting = adviceFor(fault, unprepared[activity]) ?? adviceFor(fault, misconfigured);
  if (lasting) return new ClearError(filledIn(lasting, fault, address));
  const explained = undoneBy(error, address, holders);
  if (explained) {
    const remedy = explained.remedy ?? 'repeat it';
    return new ClearError(`${explained.what}: nothing was done; ${remedy}`, 'away');
  }
  if (!(error instanceof Unavailable) && !isDatabaseAway(error)) return error;
  if (activity !== 'acting') return new ClearError(filledIn(unreachable, fault, address), 'away');
  const outcome = remaining ? `${remaining}; run it again` : unknownOutcome;
  return new ClearError(filledIn(`${lost}: ${outcome}`, fault, address), 'away');
}

export function notSetUp(address: DatabaseAddress): ClearError {
  return new ClearError(filledIn(notSetUpText, undefined, address));
}

/** Whether a database that cannot be connected to may recover soon: it is starting, full, or cannot be reached. */
export function mayComeBack(error: unknown): boolean {
  return (error instanceof Unavailable || isDatabaseAway(error)) && !adviceFor(causeOf(error), misconfigured);
}

/** Explains a fault after which the transaction is certainly undone; undefined if it may have been committed. */
export function undoneBy(error: unknown, address?: DatabaseAddress, holders?: string): Undone | undefined {
  // Without a cause, this program gave up: other transactions came first each time.
  if (error instanceof Unavailable && error.cause === undefined) return { what: error.message };
  const fault = causeOf(error);
  const advice = adviceFor(fault, undone);
  return advice && { ...advice, what: filledIn(advice.what, fault, address, holders) };
}

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error;
}

function adviceFor<Text>(error: unknown, advice: Advice<Text>): Text | undefined {
  const code = faultCode(error);
  const found = Object.entries(advice).find(([codes]) => new RegExp(`^(?:${codes})$`).test(code));
  return found?.[1];
}

function filledIn(
  text: string,
  error: unknown,
  address?: DatabaseAddress,
  holders = 'another transaction',
): string {
  const values = {
    database: address ? `the database ${nameOf(address)}` : 'the database',
    user: JSON.stringify(address?.user),
    reason: reasonOf(error),
    holders,
    // MikroORM appends values in further lines.
    message: messageOf(error).replace(/\n.*/s, ''),
  };
  return text.replace(
    /\{(database|user|reason|message|holders)\}/g,
    (_, name: keyof typeof values) => values[name],
  );
}

/** The fault in a few words. 08P01, which comes from a pooler, and 55000 say little without their message. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const message = messageOf(error) || 'no answer';
  if (code === '08P01' || code === '55000') return `${code}: ${message}`;
  return code || message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
