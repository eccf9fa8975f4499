/* Checks of the schema: that it is of this version, and that what it promises is enforced. */
import * as store from '@campaign-mirror/adapters-persistence';
import type { Pool, QueryResultRow } from 'pg';
import { type CheckInput, ok, problem, type Result, warning } from './check.ts';
import { migrate, withoutRecord } from './connection-advice.ts';

export async function checkMigrations({ facts, database, purpose }: CheckInput): Promise<Result> {
  const states = await store.migrationStates(database).catch((error) => {
    if (!store.isForbidden(error)) throw error;
  });
  if (!states) {
    const advice = 'run `./campaign-mirror doctor` as the operator, too';
    return warning('this user may not know which were applied', advice);
  }
  const namesOf = (wanted: store.MigrationState['state']) =>
    states.filter(({ state }) => state === wanted).map(({ name }) => name);
  const pending = namesOf('pending');
  const unknown = namesOf('unknown');
  if (pending.length === states.length && facts.has_tables)
    return problem('the tables are there, but no record of their migrations', withoutRecord);
  if (pending.length > 0) {
    // A service may start while another process migrates: it is ready afterwards.
    const report = purpose && states.length > pending.length ? warning : problem;
    return report(`pending: ${pending.join(', ')}`, migrate);
  }
  if (unknown.length === 0) return ok('none is pending');
  return warning(
    `applied by a newer version: ${unknown.join(', ')}`,
    'run that version, here and for the service',
  );
}

/** The service assigns the numbers of the history only: it works if the other sequences are behind. */
export async function checkSequences({ database, purpose }: CheckInput): Promise<Result[]> {
  const text = 'select sequence, mended_by from campaign_mirror.sequences_behind';
  const rows = await rowsIfThere<{ sequence: string; mended_by: string }>(database, text);
  return rows.map(({ sequence, mended_by }) => {
    const report = purpose && sequence !== 'mirror_history_id_seq' ? warning : problem;
    const finding = `the sequence ${sequence} is behind its table: numbers that it assigns are taken, or out of order`;
    return report(finding, `run as the owner of the schema: ${mended_by}`);
  });
}

export async function checkTransactions({ database }: CheckInput): Promise<Result[]> {
  const text = 'select transaction_id from campaign_mirror.transactions_ahead';
  const [row] = await rowsIfThere<{ transaction_id: string }>(database, text);
  if (!row) return [];
  const finding = `the history has changes of another server, up to its transaction ${row.transaction_id}`;
  return [problem(`${finding}: the feed would give them later, as new`, migrate)];
}

const statement =
  (database: CheckInput['database']) =>
  async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
    (await (database as Pool).query<Row>(text, values)).rows;

/** If a table or a view is missing, or may not be read, the checks of migrations and rights report it. */
function noneIfAbsent(error: Error): never[] {
  if (!store.isAbsent(error) && !store.isForbidden(error)) throw error;
  return [];
}

const rowsIfThere = <Row extends QueryResultRow>(database: CheckInput['database'], text: string) =>
  statement(database)<Row>(text, []).catch(noneIfAbsent);

/** Views, functions, triggers and constraints: a restore that was killed leaves them off, and nothing else shows it. */
export async function checkEnforcement({ facts, database }: CheckInput): Promise<Result[]> {
  const { name, replication_role, schema_owner } = facts;
  const states = await store.migrationStates(database).catch(() => []);
  // Those of another version are others; the check of migrations reports that.
  if (states.length === 0 || states.some(({ state }) => state !== 'applied')) return [];
  if (replication_role !== 'origin') {
    const finding = `triggers are off for ${JSON.stringify(name)}: its session_replication_role is ${replication_role}`;
    return [problem(finding, `alter role ${name} reset session_replication_role`)];
  }
  const faults = await store.enforcementFaults(statement(database));
  if (faults.length === 0) return [ok('views, functions, triggers and constraints are as they should be')];
  const listed = faults.slice(0, 5).map(({ finding }) => finding);
  if (faults.length > listed.length) listed.push(`${faults.length - listed.length} more`);
  const isMended = faults.every(({ mended }) => mended !== null);
  const advice = isMended
    ? `run \`./campaign-mirror migrate\` as the owner of the schema, ${schema_owner}`
    : `as a superuser, alter the owner of what is not ${schema_owner}'s, then run \`./campaign-mirror migrate\` as ${schema_owner}`;
  return [problem(listed.join(', '), advice)];
}

/** For `doctor` only: it reads all mirrors, which the service may not. */
export async function checkMirrors({ database, purpose }: CheckInput): Promise<Result[]> {
  if (purpose) return [];
  const rows = await store.mirrorFaults(statement(database)).catch(noneIfAbsent);
  if (rows.length === 0) return [];
  const listed = rows.map(({ campaign_id, hasNoAddress, isAlone }) => {
    if (isAlone) return `${campaign_id} (there is no such campaign)`;
    return hasNoAddress ? `${campaign_id} (its address is none)` : `${campaign_id} (not its owner or flag)`;
  });
  const finding = `${rows[0]?.all} mirrors are not as they must be, of the campaigns ${listed.join(', ')}`;
  const advice =
    'set an address with `./campaign-mirror mirror set`; an owner, a flag or a missing campaign: ' +
    '`alter table campaign_mirror.mirrors drop constraint mirrors_campaign_id_owner_id_is_default_fkey`, then `./campaign-mirror migrate`';
  return [problem(finding, advice)];
}
