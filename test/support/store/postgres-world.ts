import * as store from '@campaign-mirror/adapters-persistence/service';
import type { Others } from '@campaign-mirror/port-contracts';
import type { TestDatabase } from '../database/database-server.ts';
import { patient } from '../database/patient.ts';
import { tester } from './world.ts';

export type World = Awaited<ReturnType<typeof postgresWorld>>;

/** A store with all ports, each with the rights of the role that uses it, and changes of its data that bypass them. */
export async function postgresWorld({ address, admin }: TestDatabase) {
  const service = await store.openDatabase(address('service'), patient);
  const operator = await store.openDatabase(address('operator'), patient);
  const run =
    (text: string) =>
    async (...values: unknown[]) => {
      const { rowCount } = await admin.query(text, values);
      if (rowCount === 0) throw new Error('no such row');
    };
  const others: Required<Others> = {
    createCampaign: async (owner) => {
      const text = 'insert into campaign_mirror.campaigns (owner_id) values ($1) returning id::float8';
      return (await admin.query(text, [owner])).rows[0].id;
    },
    createMirror: run(
      'insert into campaign_mirror.mirrors (campaign_id, target_url, clicks) values ($1, $2, $3)',
    ),
    transfer: run('update campaign_mirror.campaigns set owner_id = $2 where id = $1'),
    setDefault: run('update campaign_mirror.campaigns set is_default = $2 where id = $1'),
    deleteMirror: run('delete from campaign_mirror.mirrors where campaign_id = $1'),
    deleteCampaign: run('delete from campaign_mirror.campaigns where id = $1'),
    countClick: run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1'),
    setUpdatedAt: run('update campaign_mirror.mirrors set updated_at = $2 where campaign_id = $1'),
    clock: async () => (await admin.query(`select ${utc('clock_timestamp()')} as now`)).rows[0].now,
    mirror: async (id) => (await admin.query(mirrorText, [id])).rows[0],
    history: async (id) => (await admin.query(historyText, [id])).rows,
  };
  return {
    others,
    pool: service.pool,
    ...store.openHotPath(service.pool, { limits: patient }),
    settings: new store.PostgresSettings(operator.orm, tester),
    records: store.postgresCampaignRecords(operator),
    accessKeys: new store.PostgresAccessKeys(operator.orm, tester),
    audit: store.postgresAudit(operator.orm),
    imports: store.postgresCampaignImport(operator.pool, tester),
    exports: store.postgresCampaignExport(operator.pool),
    close: async () => {
      await service.close();
      await operator.close();
    },
  };
}

/** Independent of the adapters, which it judges. */
const utc = (column: string) => `to_char(timezone('UTC', ${column}), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const mirrorText = `select id::float8, campaign_id::float8 as "campaignId", target_url as "targetUrl",
  clicks::float8, updated_externally as "updatedExternally", ${utc('updated_externally_at')} as "updatedExternallyAt",
  ${utc('created_at')} as "createdAt", ${utc('updated_at')} as "updatedAt"
  from campaign_mirror.mirrors where campaign_id = $1`;

const historyText = `select id::float8, mirror_id::float8 as "mirrorId", campaign_id::float8 as "campaignId",
  concat_ws(':', actor, access_key_id, subject) as subject, owner_id::float8 as "ownerId",
  address_before as "addressBefore", address_after as "addressAfter", ${utc('changed_at')} as "changedAt",
  request_id as "requestId" from campaign_mirror.mirror_history where campaign_id = $1 order by mirror_history.id`;
