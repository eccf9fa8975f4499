/* Checks of the schema: that it is of this version, and that what it promises is enforced. */
import * as store from '@campaign-mirror/adapters-persistence/service';
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
  if (store.isOfAnEarlierTrial(unknown) && pending.length > 0)
    return problem('no migration of this version', store.ofAnEarlierTrial);
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
  const text = 'select max(transaction_id) as transaction_id from campaign_mirror.transactions_ahead';
  const [row] = await rowsIfThere<{ transaction_id: string | null }>(database, text);
  if (!row?.transaction_id) return [];
  const finding = `the history has changes of another server, up to its transaction ${row.transaction_id}`;
  return [problem(`${finding}: the feed would give them later, as new`, migrate)];
}

/** If a table or a view is missing, or may not be read, the checks of migrations and rights report it. */
function noneIfAbsent(error: Error): never[] {
  if (!store.isAbsent(error) && !store.isForbidden(error)) throw error;
  return [];
}

const rowsIfThere = <Row extends QueryResultRow>(database: CheckInput['database'], text: string) =>
  (database as Pool).query<Row>(text).then(({ rows }) => rows, noneIfAbsent);

/** A restore that was killed leaves constraints away and triggers disabled, and nothing else shows it. */
export async function checkSchema({ facts, database }: CheckInput): Promise<Result[]> {
  const { name, replication_role, schema_owner } = facts;
  const states = await store.migrationStates(database).catch(() => []);
  // Those of another version are others; the check of migrations reports that.
  if (states.length === 0 || states.some(({ state }) => state !== 'applied')) return [];
  if (replication_role !== 'origin') {
    const finding = `triggers are disabled for ${JSON.stringify(name)}: its session_replication_role is ${replication_role}`;
    return [problem(finding, `alter role ${name} reset session_replication_role`)];
  }
  const findings = await store.missingParts(database);
  if (findings.length === 0) return [ok('nothing is missing or disabled')];
  const listed = findings.slice(0, 5);
  if (findings.length > listed.length) listed.push(`${findings.length - listed.length} more`);
  const advice =
    `functions and triggers: run \`./campaign-mirror migrate\` as ${schema_owner}; ` +
    'a disabled constraint: as a superuser, `alter table … enable trigger all`; ' +
    `another owner: as a superuser, \`alter function … owner to ${schema_owner}\`; what else is missing: restore a backup`;
  return [problem(listed.join(', '), advice)];
}

const mirrorAdvice =
  'an address: set another with `./campaign-mirror mirror set`; an owner or a flag: as the owner of the schema, ' +
  '`update campaign_mirror.mirrors set owner_id = campaigns.owner_id, is_default = campaigns.is_default ' +
  'from campaign_mirror.campaigns where campaigns.id = campaign_id`; no campaign: delete the mirror';

/** For `doctor` only: it reads all mirrors, which the service may not. */
export async function checkMirrors({ database, purpose }: CheckInput): Promise<Result[]> {
  if (purpose) return [];
  type Row = { campaign_id: string; all: string; fault: string };
  const rows = await rowsIfThere<Row>(database, store.mirrorFaultsText);
  if (rows.length === 0) return [];
  const listed = rows.map(({ campaign_id, fault }) => `${campaign_id} (${fault})`);
  const finding = `${rows[0]?.all} mirrors are not as they must be, of the campaigns ${listed.join(', ')}`;
  return [problem(finding, mirrorAdvice)];
}
