import * as persistence from '@campaign-mirror/adapters-persistence';
import type { CampaignId, CampaignRepository, HistoryEntry, Identity, Mirror } from '@campaign-mirror/domain';
import type { KeyHolder, Others, Steps } from '@campaign-mirror/port-contracts';
import type { Pool } from 'pg';
import { PostgresCampaigns } from '../../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../../packages/adapters-persistence/src/hot-path/identity.ts';
import { KeyUses } from '../../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import { keyHash } from '../../../packages/adapters-persistence/src/schema/schema.ts';
import * as sql from '../../../packages/adapters-persistence/src/statements/statements.ts';
import type { TestDatabase } from '../database/database-server.ts';
import { endWaiting, rival, untilWaiting } from '../database/rival.ts';
import { hotPathOn } from './hot-paths.ts';
import { change, type Live, liveCampaign, tester } from './world.ts';

/** A store with all ports, and what happens to it by other hands than theirs. */
export interface World extends Omit<Awaited<ReturnType<typeof postgresPorts>>, 'uses' | 'statements'> {
  readonly others: StoreOthers;
  readonly steps: Steps;
}

export interface StoreOthers extends Required<Omit<Others, 'createCampaign' | 'createMirror'>> {
  readonly expireKey: KeyHolder['expire'];
  readonly deleteKey: KeyHolder['delete'];
  readonly giveKey: KeyHolder['give'];
}

export interface PostgresWorldOptions {
  /** No call goes alone: with each goes a chain of two of another campaign. */
  readonly besideAChain?: boolean;
  /** What the hot path runs its statements by. */
  readonly statementsOn?: (pool: Pool) => sql.Statements;
}

/** The ports alone, each with the rights of the role that uses it. */
export async function postgresPorts(
  { address }: { address(role: persistence.Role): persistence.DatabaseAddress },
  { besideAChain = false, statementsOn = (pool) => new sql.Statements(pool) }: PostgresWorldOptions = {},
) {
  const service = await persistence.openDatabase(address('service'));
  const operator = await persistence.openDatabase(address('operator'));
  const settings = new persistence.PostgresSettings(operator.orm, tester);
  const accessKeys = new persistence.PostgresAccessKeys(operator.orm, tester);
  const uses = new KeyUses(service.pool);
  const statements = statementsOn(service.pool);
  const alone = hotPathOn(statements);
  const companion = () => liveCampaign({ settings, accessKeys });
  const hotPath = besideAChain ? inCompany(alone, companion) : alone;
  return {
    uses,
    statements,
    campaigns: new PostgresCampaigns(hotPath, { uses }) as CampaignRepository,
    identity: new PostgresIdentity(hotPath, { uses }) as Identity,
    settings,
    records: new persistence.PostgresCampaignRecords(operator.pool),
    accessKeys,
    audit: new persistence.PostgresAudit(operator.pool),
    imports: new persistence.PostgresCampaignImport(operator.pool, tester),
    exports: new persistence.PostgresCampaignExport(operator.pool),
    close: async () => {
      await uses.stop();
      await service.close();
      await operator.close();
    },
  };
}

/**
 * A hot path on which nobody goes alone: with each call goes one of its kind for another campaign, or another key, so
 * that what is seen of it is seen of the statements for many. The companion sets its mirror twice, which makes a chain.
 */
function inCompany(hotPath: HotPath, another: () => Promise<Live>): HotPath {
  let made: Promise<Live> | undefined;
  const companion = () => (made ??= another());
  return {
    key: async (hash) => {
      const { key } = await companion();
      const [, row] = await Promise.all([hotPath.key(keyHash(key)), hotPath.key(hash)]);
      return row;
    },
    campaign: async (id) => {
      const { seen } = await companion();
      const [, campaign] = await Promise.all([hotPath.campaign(seen.id), hotPath.campaign(id)]);
      return campaign;
    },
    set: async (asSeen, to) => {
      const { seen, by } = await companion();
      const theirs = [hotPath.set(seen, change(by)), hotPath.set(seen, change(by))];
      const [result, ...served] = await Promise.all([hotPath.set(asSeen, to), ...theirs]);
      if (served.some((one) => one?.kind !== 'mirror-set')) throw new Error('the companion was not served');
      return result;
    },
  };
}

export async function postgresWorld(database: TestDatabase, options?: PostgresWorldOptions): Promise<World> {
  const { admin } = database;
  const run =
    (text: string) =>
    async (...values: unknown[]) => {
      const { rowCount } = await admin.query(text, values);
      if (rowCount === 0) throw new Error('no such row');
    };
  const { uses: _, statements, ...ports } = await postgresPorts(database, options);
  return {
    ...ports,
    steps: stepsOf(statements, database),
    others: {
      transfer: run('update campaign_mirror.campaigns set owner_id = $2 where id = $1'),
      setDefault: run('update campaign_mirror.campaigns set is_default = $2 where id = $1'),
      deleteMirror: run('delete from campaign_mirror.mirrors where campaign_id = $1'),
      deleteCampaign: run('delete from campaign_mirror.campaigns where id = $1'),
      countClick: run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1'),
      setUpdatedAt: run('update campaign_mirror.mirrors set updated_at = $2 where campaign_id = $1'),
      expireKey: run('update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1'),
      giveKey: run('update campaign_mirror.access_keys set owner_id = $2 where id = $1'),
      deleteKey: run('delete from campaign_mirror.access_keys where id = $1'),
      clock: async () => {
        const { rows } = await admin.query(`select ${utc('clock_timestamp()')} as now`);
        return rows[0].now;
      },
      mirror: (id) => storedMirror(admin, id),
      history: (id) => storedHistory(admin, id),
    },
  };
}

/** Each statement of the hot path is a step. One that breaks is ended by the server while it waits for a lock. */
function stepsOf(statements: sql.Statements, database: TestDatabase): Steps {
  const run: sql.Statements['run'] = statements.run.bind(statements);
  let before: () => Promise<'go on' | 'break'> = async () => 'go on';
  statements.run = async <Row extends sql.TextRow>(
    statement: sql.Statement,
    values: readonly sql.Value[],
  ) => {
    if ((await before()) === 'go on') return run<Row>(statement, values);
    const other = await rival(database, `lock table ${tables.map((one) => `campaign_mirror.${one}`)}`);
    const running = run<Row>(statement, values);
    await untilWaiting(database, running)
      .then(() => endWaiting(database))
      .finally(other.rollback);
    return running;
  };
  return async (call, ahead) => {
    let step = -1;
    before = () => {
      step += 1;
      return ahead(step);
    };
    return call().finally(() => {
      before = async () => 'go on';
    });
  };
}

const tables = ['campaigns', 'mirrors', 'access_keys'];

/** Written apart from the adapters', which it judges. */
function utc(column: string): string {
  return `to_char(timezone('UTC', ${column}), 'YYYY-MM-DD') || 'T' || to_char(timezone('UTC', ${column}), 'HH24:MI:SS.US') || 'Z'`;
}

async function storedMirror(admin: Pool, id: CampaignId): Promise<Mirror | undefined> {
  const { rows } = await admin.query(
    `select id::float8, campaign_id::float8 as "campaignId", target_url as "targetUrl", clicks::float8,
       updated_externally as "updatedExternally", ${utc('updated_externally_at')} as "updatedExternallyAt",
       ${utc('created_at')} as "createdAt", ${utc('updated_at')} as "updatedAt"
     from campaign_mirror.mirrors where campaign_id = $1`,
    [id],
  );
  return rows[0];
}

async function storedHistory(admin: Pool, id: CampaignId): Promise<HistoryEntry[]> {
  const { rows } = await admin.query(
    `select id::float8, mirror_id::float8 as "mirrorId", campaign_id::float8 as "campaignId",
       concat_ws(':', actor, access_key_id, subject) as subject, owner_id::float8 as "ownerId",
       address_before as "addressBefore", address_after as "addressAfter", ${utc('changed_at')} as "changedAt",
       request_id as "requestId"
     from campaign_mirror.mirror_history where campaign_id = $1 order by mirror_history.id`,
    [id],
  );
  return rows;
}
