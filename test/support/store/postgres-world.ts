import {
  type DatabaseAddress,
  openDatabase,
  PostgresAccessKeys,
  PostgresAudit,
  PostgresCampaignExport,
  PostgresCampaignImport,
  PostgresCampaignRecords,
  PostgresHistoryPruning,
  PostgresMirrorHistory,
  PostgresMirrorMoves,
  PostgresOperatorMirrors,
  PostgresSettings,
  type Role,
} from '@campaign-mirror/adapters-persistence';
import type {
  CampaignId,
  HistoryEntry,
  HistoryId,
  Mirror,
  MirrorAddress,
  MirrorId,
  OwnerId,
  Subject,
  Timestamp,
} from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { PostgresCampaigns } from '../../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/hot-path.ts';
import { PostgresIdentity } from '../../../packages/adapters-persistence/src/hot-path/identity.ts';
import { KeyUses } from '../../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { Statements } from '../../../packages/adapters-persistence/src/statements/statements.ts';
import type { TestDatabase } from '../database/database-server.ts';
import { lockedMeanwhile } from '../database/rival.ts';
import { hotPathOn } from './hot-paths.ts';
import { inCompany } from './in-company.ts';
import { tester } from './operator.ts';
import { liveCampaign, type Ports, type World } from './world.ts';

/** No call goes alone: with each goes one of another campaign, or a chain of two. */
export type Company = 'in company' | 'beside a chain';

export interface PostgresWorldOptions {
  /** Whose rights the campaigns are updated with: the service's, except for adapters that are broken on purpose. */
  readonly as?: Role;
  readonly company?: Company;
  /** What the hot path runs its statements by. */
  readonly statementsOn?: (pool: Pool) => Statements;
}

/** The ports alone, each with the rights of the role that uses it. */
export async function postgresPorts(
  { address }: { address(role: Role): DatabaseAddress },
  { as = 'service', company, statementsOn = (pool) => new Statements(pool) }: PostgresWorldOptions = {},
): Promise<Ports & { uses: KeyUses; close(): Promise<void> }> {
  const service = await openDatabase(address(as));
  const operator = await openDatabase(address('operator'));
  const settings = new PostgresSettings(operator.orm, tester);
  const accessKeys = new PostgresAccessKeys(operator.orm, tester);
  const uses = new KeyUses(service.pool);
  const alone = hotPathOn(statementsOn(service.pool));
  const companion = () => liveCampaign({ settings, accessKeys });
  const updates = company === 'beside a chain' ? 2 : 1;
  const hotPath: HotPath = company ? inCompany(alone, companion, updates) : alone;
  return {
    uses,
    campaigns: new PostgresCampaigns(hotPath, { uses }),
    identity: new PostgresIdentity(hotPath, { uses }),
    settings,
    records: new PostgresCampaignRecords(operator.pool),
    accessKeys,
    history: new PostgresMirrorHistory(operator.pool),
    operatorMirrors: new PostgresOperatorMirrors(operator.pool, tester),
    historyPruning: new PostgresHistoryPruning(operator.pool, tester),
    mirrorMoves: new PostgresMirrorMoves(operator.pool, tester),
    audit: new PostgresAudit(operator.pool),
    imports: new PostgresCampaignImport(operator.pool, tester),
    exports: new PostgresCampaignExport(operator.pool),
    close: async () => {
      await uses.stop();
      await service.close();
      await operator.close();
    },
  };
}

export async function postgresWorld(
  database: TestDatabase,
  options: PostgresWorldOptions = {},
): Promise<World> {
  const { admin } = database;
  const run = async (text: string, ...values: unknown[]) => {
    const { rowCount } = await admin.query(text, values);
    if (rowCount === 0) throw new Error('no such row');
  };
  const { uses: _, ...ports } = await postgresPorts(database, options);
  return {
    ...ports,
    others: {
      transfer: (id, to) => run('update campaign_mirror.campaigns set owner_id = $2 where id = $1', id, to),
      setDefault: (id, isDefault) =>
        run('update campaign_mirror.campaigns set is_default = $2 where id = $1', id, isDefault),
      deleteMirror: (id) => run('delete from campaign_mirror.mirrors where campaign_id = $1', id),
      deleteCampaign: (id) => run('delete from campaign_mirror.campaigns where id = $1', id),
      countClick: (id) =>
        run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1', id),
      setUpdatedAt: (id, time) =>
        run('update campaign_mirror.mirrors set updated_at = $2 where campaign_id = $1', id, time),
      expireKey: (id) =>
        run('update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1', id),
      giveKey: (id, to) => run('update campaign_mirror.access_keys set owner_id = $2 where id = $1', id, to),
      deleteKey: (id) => run('delete from campaign_mirror.access_keys where id = $1', id),
      clock: async () => {
        const { rows } = await admin.query(`select ${utc('clock_timestamp()')} as now`);
        return rows[0].now;
      },
      mirror: (id) => storedMirror(admin, id),
      history: (id) => storedHistory(admin, id),
      // Together only one of them waits in the database, for all.
      atOnce: (id, calls) => lockedMeanwhile(database, id, calls),
    },
  };
}

/** Written apart from the adapters', which it judges. */
function utc(column: string): string {
  return `to_char(timezone('UTC', ${column}), 'YYYY-MM-DD') || 'T' || to_char(timezone('UTC', ${column}), 'HH24:MI:SS.US') || 'Z'`;
}

async function storedMirror(admin: Pool, id: CampaignId): Promise<Mirror | undefined> {
  const { rows } = await admin.query(
    `select *, ${utc('updated_externally_at')} as externally, ${utc('created_at')} as created, ${utc('updated_at')} as updated
     from campaign_mirror.mirrors where campaign_id = $1`,
    [id],
  );
  return rows.map((row) => ({
    id: Number(row.id) as MirrorId,
    campaignId: Number(row.campaign_id) as CampaignId,
    targetUrl: row.target_url as MirrorAddress,
    clicks: Number(row.clicks),
    updatedExternally: row.updated_externally as boolean,
    updatedExternallyAt: row.externally as Timestamp | null,
    createdAt: row.created as Timestamp,
    updatedAt: row.updated as Timestamp,
  }))[0];
}

async function storedHistory(admin: Pool, id: CampaignId): Promise<HistoryEntry[]> {
  const { rows } = await admin.query(
    `select *, ${utc('changed_at')} as changed from campaign_mirror.mirror_history h where campaign_id = $1 order by h.id`,
    [id],
  );
  return rows.map((row) => ({
    id: Number(row.id) as HistoryId,
    mirrorId: Number(row.mirror_id) as MirrorId,
    campaignId: Number(row.campaign_id) as CampaignId,
    subject: [row.actor, row.access_key_id ?? row.subject]
      .filter((part) => part !== null)
      .join(':') as Subject,
    ownerId: Number(row.owner_id) as OwnerId,
    addressBefore: row.address_before as MirrorAddress,
    addressAfter: row.address_after as MirrorAddress,
    changedAt: row.changed as Timestamp,
    requestId: row.request_id as string,
  }));
}
