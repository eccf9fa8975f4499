import type { Undone } from '@campaign-mirror/adapters-cli';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  codeOf,
  type DatabaseAddress,
  isDatabaseAway,
  UnfitDatabase,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';

/** For messages: no password. */
export function nameOf({ host, port, database }: DatabaseAddress): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

/** What a connection was used for when it failed. */
export type Doing = 'connecting' | 'migrating' | 'acting';

/**
 * By the beginning of a fault's code (SQLSTATE, Node's or OpenSSL's), a space and its message, as a regular expression:
 * what to say; the first that matches counts. The texts may name `{database}`, `{user}`, `{reason}`, and in its own words
 * what the server `{said}`.
 */
type Advice<Text> = Readonly<Record<string, Text>>;

export const namePrimary = 'name the primary in DATABASE_URL or PGHOST';
const remedy = 'make room there';

/** After these the transaction is certainly undone; repeating it may succeed. */
const undone: Advice<Undone> = {
  '(57014|55P03|40001|40P01|25P04) ': {
    what: 'another transaction holds what this is about, or {database} is too slow ({reason})',
  },
  // No statement names a number of its own, but that of an import, which sees to it itself.
  '23505 ': {
    what: 'a sequence of {database} is behind its table, and has assigned a number that is taken',
    remedy: '`./campaign-mirror doctor` names it, and the statement that mends it',
  },
  '25006 ': { what: '{database} takes no writes (a standby, or set to read only)', remedy: namePrimary },
  '53300 ': { what: '{database} has no connection left ({reason})', remedy },
  '53... ': { what: '{database} has no disk space or memory left ({reason})', remedy },
};

/** The server's or the client's configuration is wrong: neither waiting nor repeating helps. */
const lasting: Advice<string> = {
  // A pooler accepts few startup parameters, and rejects a connection that has any other.
  '08P01 .*startup parameter':
    'the pooler of {database} refuses the connection ({reason}): nothing was done; set DATABASE_POOLER=transaction, or connect to the server itself',
  // The driver reports it without a code.
  ' The server does not support SSL connections':
    '{database} does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable',
  '28000 ':
    '{database} lets the user {user} in with TLS only, or not at all: set sslmode=verify-full, or check its name and pg_hba.conf ({said})',
  // SASL: the server asks for a password, and none is set.
  '28... | SASL': '{database} refuses the user {user}: check its name, its password and pg_hba.conf',
  '3D000 ': '{database} does not exist: create it, or correct DATABASE_URL or PGDATABASE',
  '(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|CERT_SIGNATURE_FAILURE) ':
    '{database} has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT',
  'ERR_TLS_CERT_ALTNAME_INVALID ':
    '{database} has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca',
  'ERR_(SSL|TLS|OSSL)_|[A-Z_]*CERT':
    '{database} and we cannot agree on TLS ({reason}): check its settings (ssl_…), its certificate and the clocks',
};

/** As it is after a restore of the schema alone. */
export const withoutRecord =
  'if it was restored with --schema-only, restore the data too (--data-only --disable-triggers); if there is none, drop the schema (drop schema campaign_mirror cascade) and run `./campaign-mirror migrate`';
const migrate = 'run `./campaign-mirror migrate` as the owner of the schema';
const notSetUpText = `{database} is not set up for this version (it is new, or of an earlier one): ${migrate}`;

/** A right or a table that is missing. */
const unprepared: Readonly<Record<Doing, Advice<string>>> = {
  connecting: { '42501 ': 'the user {user} may not use {database} ({said}): grant it CONNECT' },
  migrating: {
    // A table, a function or a trigger is there.
    '42(P07|723|710) ': `{database} has a schema campaign_mirror without a record of its migrations ({said}): ${withoutRecord}`,
    '42501 ': `the user {user} may not migrate {database} ({said}): ${migrate}, or where it is not there yet, \`./campaign-mirror roles create\` as the owner of the database; start with RUN_MIGRATIONS=false`,
  },
  acting: {
    '(42P01|3F000) ': notSetUpText,
    '42501 ': `the user {user} of {database} lacks a right ({said}): use the operator's, or run \`./campaign-mirror doctor\`, which says which is missing and who gives it`,
  },
};

/** Whatever else means that the database is unavailable. */
const unreachable =
  '{database} cannot be reached ({reason}): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT';
const lost = '{database} became unavailable ({reason})';
const unknown = 'it is unknown whether this was done; look at what there is, then repeat it';

/**
 * The error in one line that says what is wrong and what to do, without a password; the error itself where the database
 * is not the cause. `away` is the kind where waiting or repeating may help. `left`: what remains of an act whose outcome
 * is never unknown, because it only reads.
 */
export function clearFault(error: unknown, place: DatabaseAddress, doing: Doing, left?: string): unknown {
  // An unknown outcome of a migration, which its message says.
  if (doing === 'migrating' && error instanceof Unavailable && !error.cause)
    return new ClearError(error.message, 'away');
  const fault = causeOf(error);
  if (fault instanceof UnfitDatabase) return new ClearError(fault.message);
  const last = find(unprepared[doing], fault) ?? find(lasting, fault);
  if (last) return new ClearError(filled(last, fault, place));
  const nothing = undoneBy(error, place);
  if (nothing)
    return new ClearError(`${nothing.what}: nothing was done; ${nothing.remedy ?? 'repeat it'}`, 'away');
  if (!(error instanceof Unavailable) && !isDatabaseAway(error)) return error;
  const text = doing === 'acting' ? `${lost}: ${left ? `${left}; run it again` : unknown}` : unreachable;
  return new ClearError(filled(text, fault, place), 'away');
}

/** Where migrations are pending. */
export function notSetUp(place: DatabaseAddress): ClearError {
  return new ClearError(filled(notSetUpText, undefined, place));
}

/** Whether a database that cannot be connected to may recover soon: it is starting, full, or cannot be reached. */
export function mayComeBack(error: unknown): boolean {
  return (error instanceof Unavailable || isDatabaseAway(error)) && !find(lasting, causeOf(error));
}

/**
 * Explains a fault after which the transaction is certainly undone; undefined where the outcome is unknown, as when a
 * connection is lost.
 */
export function undoneBy(error: unknown, place?: DatabaseAddress): Undone | undefined {
  // Without a cause, this program gave up: other transactions came first each time.
  if (error instanceof Unavailable && error.cause === undefined) return { what: error.message };
  const fault = causeOf(error);
  const found = find(undone, fault);
  return found && { ...found, what: filled(found.what, fault, place) };
}

/** The driver's error in a few words. 08P01, which comes from a pooler, and 55000 say little by themselves. */
function reason(error: unknown): string {
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : 'no answer';
  return ['08P01', '55000'].includes(code) ? `${code}: ${said}` : code || said;
}

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error;
}

function find<Text>(advice: Advice<Text>, error: unknown): Text | undefined {
  const said = `${codeOf(error)} ${error instanceof Error ? error.message : ''}`;
  return Object.entries(advice).find(([fault]) => new RegExp(`^(?:${fault})`).test(said))?.[1];
}

function filled(text: string, error: unknown, place?: DatabaseAddress): string {
  const values = {
    database: place ? `the database ${nameOf(place)}` : 'the database',
    user: JSON.stringify(place?.user),
    reason: reason(error),
    // After it, MikroORM puts values.
    said: error instanceof Error ? error.message.replace(/\n.*/s, '') : '',
  };
  return text.replace(/\{(database|user|reason|said)\}/g, (_, name: keyof typeof values) => values[name]);
}
