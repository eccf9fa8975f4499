import type { Undone } from '@campaign-mirror/adapters-cli';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import {
  codeOf,
  type DatabaseAddress,
  EncodingFault,
  isDatabaseAway,
} from '@campaign-mirror/adapters-persistence/sql';
import { Unavailable } from '@campaign-mirror/domain';

/** The database's address for messages: no password. */
type Place = Pick<DatabaseAddress, 'host' | 'port' | 'user' | 'database'>;

export function nameOf({ host, port, database }: Place): string {
  return `${host ?? 'localhost'}:${port ?? 5432}/${database ?? ''}`;
}

/** What a connection was used for when it failed. */
export type Doing = 'connecting' | 'migrating' | 'acting';

/**
 * A fault, matched against its code (SQLSTATE, Node's or OpenSSL's), a space and its message; what to say of it, and
 * what to do. The texts may name `{database}`, `{user}` and `{reason}`.
 */
type Advice = readonly [fault: RegExp, says: string, remedy?: string];

const migrate = 'run `./campaign-mirror migrate` as the owner of the schema';
export const namePrimary = 'name the primary in DATABASE_URL or PGHOST';

/** After these the transaction is certainly undone; repeating it may succeed. */
const undone: readonly Advice[] = [
  [
    /^(?:57014|55P03|40001|40P01|25P04) /,
    'another transaction holds what this is about, or {database} is too slow ({reason})',
  ],
  [/^25006 /, '{database} takes no writes (a standby, or set to read only)', namePrimary],
  [/^53100 /, '{database} has no space on its disk left ({reason})', 'make room there'],
  [/^53200 /, '{database} has no memory left ({reason})', 'make room there'],
  [/^53300 /, '{database} has no connection left ({reason})', 'make room there'],
  [/^53... /, '{database} has no room left ({reason})', 'make room there'],
];

/** A pooler accepts few startup parameters, and rejects a connection that has any other. */
const pooler: Advice = [
  /^08P01 .*startup parameter/,
  'the pooler of {database} refuses the connection ({reason}): nothing was done; set DATABASE_POOLER=transaction, or connect to the server itself',
];

/** The server's or the client's configuration is wrong: neither waiting nor repeating helps. */
const connecting: readonly Advice[] = [
  pooler,
  // The driver reports it without a code.
  [
    /^ The server does not support SSL connections$/,
    '{database} does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable',
  ],
  // In the words of the server's language: only English is recognized.
  [
    /^28000 .*pg_hba\.conf .*no encryption/,
    '{database} lets the user {user} in with TLS only, or not at all: set sslmode=verify-full, or check pg_hba.conf',
  ],
  // SASL: the server asks for a password, and none is set.
  [/^28... |^ SASL/, '{database} refuses the user {user}: check its name, its password and pg_hba.conf'],
  [/^3D000 /, '{database} does not exist: create it, or correct DATABASE_URL or PGDATABASE'],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_SIGNATURE_FAILURE) /,
    '{database} has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    '{database} has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca',
  ],
  [/^ERR_(?:SSL|TLS|OSSL)_/, '{database} and we cannot agree on TLS ({reason}): check its settings (ssl_…)'],
  [/^\w*CERT/, '{database} has a certificate that is refused ({reason}): renew it, or check the clocks'],
];

const notMigrated: Advice = [/^(?:42P01|3F000) /, `{database} is not set up for this version: ${migrate}`];

const lasting: Readonly<Record<Doing, readonly Advice[]>> = {
  connecting: [[/^42501 /, 'the user {user} may not use {database}: grant it CONNECT'], ...connecting],
  migrating: [
    [
      /^42501 /,
      `the user {user} may not migrate {database}: ${migrate}, and start with RUN_MIGRATIONS=false`,
    ],
    ...connecting,
  ],
  acting: [
    pooler,
    notMigrated,
    [
      /^42501 /,
      `the user {user} of {database} lacks a right: use the operator's, or ${migrate}, which gives that one its rights; \`./campaign-mirror doctor\` says which is missing`,
    ],
  ],
};

/** Whatever else means that the database is unavailable. */
const away: Readonly<Record<'reach' | 'act', string>> = {
  reach:
    '{database} cannot be reached ({reason}): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT',
  act: '{database} became unavailable ({reason}): it is unknown whether this was done; look at what there is, then repeat it',
};

/**
 * The error in one line that says what is wrong and what to do, without a password; the error itself where the database
 * is not the cause. `away` is the kind where waiting or repeating may help.
 */
export function clearFault(error: unknown, place: Place, doing: Doing): unknown {
  // An unknown outcome of a migration, which its message says.
  if (doing === 'migrating' && error instanceof Unavailable && !error.cause)
    return new ClearError(error.message, 'away');
  const fault = causeOf(error);
  if (fault instanceof EncodingFault) return new ClearError(fault.message);
  const last = find(lasting[doing], fault);
  if (last) return new ClearError(filled(last[1], fault, place));
  const nothing = undoneBy(error, place);
  if (nothing)
    return new ClearError(`${nothing.what}: nothing was done; ${nothing.remedy ?? 'repeat it'}`, 'away');
  if (!(error instanceof Unavailable) && !isDatabaseAway(error)) return error;
  return new ClearError(filled(doing === 'acting' ? away.act : away.reach, fault, place), 'away');
}

/** Where migrations are pending. */
export function notSetUp(place: Place): ClearError {
  return new ClearError(filled(notMigrated[1], undefined, place));
}

/** Whether a database that cannot be connected to may recover soon: it is starting, full, or cannot be reached. */
export function mayComeBack(error: unknown): boolean {
  const isAway = error instanceof Unavailable || isDatabaseAway(error);
  return isAway && !find(lasting.connecting, causeOf(error));
}

/**
 * Explains a fault after which the transaction is certainly undone; undefined where the outcome is unknown, as when a
 * connection is lost.
 */
export function undoneBy(error: unknown, place?: Place): Undone | undefined {
  // Without a cause, this program gave up: other transactions came first each time.
  if (error instanceof Unavailable && error.cause === undefined) return { what: error.message };
  const fault = causeOf(error);
  const found = find(undone, fault);
  if (!found) return undefined;
  const [, says, remedy] = found;
  return { what: filled(says, fault, place), ...(remedy !== undefined && { remedy }) };
}

/**
 * The same fault, or, where the database ended the reading, what remains of it: `left`. The outcome is never unknown.
 */
export function orReadingEnded(error: unknown, left: string): unknown {
  if (!(error instanceof Unavailable)) return error;
  const { what = 'the database became unavailable', remedy } = undoneBy(error) ?? {};
  const next = [remedy, 'run it again'].filter(Boolean).join(', then ');
  const fault = new ClearError(`${what}: ${left}; ${next}`, 'away');
  fault.cause = error;
  return fault;
}

/** The driver's error in a few words. A message with 08P01 comes from a pooler, and the code adds nothing. */
export function reason(error: unknown): string {
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : 'no answer';
  return code === '08P01' ? `${code}: ${said}` : code || said;
}

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error;
}

function find(advice: readonly Advice[], error: unknown): Advice | undefined {
  const said = `${codeOf(error)} ${error instanceof Error ? error.message : ''}`;
  return advice.find(([fault]) => fault.test(said));
}

function filled(text: string, error: unknown, place?: Place): string {
  const values = {
    database: place ? `the database ${nameOf(place)}` : 'the database',
    user: JSON.stringify(place?.user),
    reason: reason(error),
  };
  return text.replace(/\{(database|user|reason)\}/g, (_, name: keyof typeof values) => values[name]);
}
