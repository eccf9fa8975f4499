import * as store from '@campaign-mirror/adapters-persistence/service';
import type * as domain from '@campaign-mirror/domain';
import type { Others, Steps } from '@campaign-mirror/port-contracts';
import type { Pool } from 'pg';
import { StatementRunner } from '../../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import type { TestDatabase } from '../database/database-server.ts';
import { patient } from '../database/patient.ts';
import { endWaiting, rival, untilWaiting } from '../database/rival.ts';
import { hotPathBy } from './hot-paths.ts';
import { stepping } from './stepping.ts';
import { change, type Live, liveCampaign, tester } from './world.ts';

/** A store with all ports, and changes of its data that bypass them. */
export interface World extends Omit<Awaited<ReturnType<typeof postgresPorts>>, 'statements' | 'pool'> {
  readonly others: StoreOthers;
  readonly steps: Steps;
}

export interface StoreOthers extends Required<Others> {
  issueKey(owner: domain.OwnerId, key: string): Promise<unknown>;
  expireKey(key: domain.AccessKeyId): Promise<unknown>;
}

interface Ports {
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
}

export interface PostgresWorldOptions {
  /** With each call go calls of another campaign, so that the statement for many is used. */
  readonly besideAChain?: boolean;
  readonly statementsOn?: (pool: Pool) => StatementRunner;
}

/** The ports, each with the rights of the role that uses it. */
export async function postgresPorts(
  { address }: { address(role: store.Role): store.DatabaseAddress },
  { besideAChain = false, statementsOn = (pool) => new StatementRunner(pool) }: PostgresWorldOptions = {},
) {
  const service = await store.openDatabase(address('service'), patient);
  const operator = await store.openDatabase(address('operator'), patient);
  const settings = new store.PostgresSettings(operator.orm, tester);
  const accessKeys = new store.PostgresAccessKeys(operator.orm, tester);
  const statements = statementsOn(service.pool);
  const alone = hotPathBy(service.pool, { statements });
  const companion = () => liveCampaign({ settings, accessKeys });
  return {
    statements,
    pool: service.pool,
    ...(besideAChain ? inCompany(alone, companion) : alone),
    settings,
    records: store.postgresCampaignRecords(operator),
    accessKeys,
    audit: store.postgresAudit(operator.orm),
    imports: store.postgresCampaignImport(operator.pool, tester),
    exports: store.postgresCampaignExport(operator.pool),
    close: async () => {
      await service.close();
      await operator.close();
    },
  };
}

/** Sends each call in a batch with calls of a companion, which sets its mirror twice. */
function inCompany({ campaigns, identity }: Ports, make: () => Promise<Live>): Ports {
  let made: Promise<Live> | undefined;
  const companion = () => (made ??= make());
  return {
    identity: {
      whoIs: async (credential, options) => {
        const { key } = await companion();
        const both = [identity.whoIs(credential, options), identity.whoIs(key, { afresh: true })] as const;
        return (await Promise.all(both))[0];
      },
    },
    campaigns: {
      find: async (id) => {
        const { seen } = await companion();
        return (await Promise.all([campaigns.find(id), campaigns.find(seen.id)]))[0];
      },
      setMirror: async (asSeen, to) => {
        const { seen, by } = await companion();
        const set = () => campaigns.setMirror(seen, change(by));
        const [result, ...served] = await Promise.all([campaigns.setMirror(asSeen, to), set(), set()]);
        if (served.some(({ kind }) => kind !== 'mirror-set')) throw new Error('the companion was not served');
        return result;
      },
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
  const { statements, pool, ...ports } = await postgresPorts(database, options);
  return {
    ...ports,
    steps: stepsOf(statements, pool, database),
    others: {
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
      expireKey: run('update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1'),
      issueKey: run(
        `insert into campaign_mirror.access_keys (owner_id, hash, displayed, name)
         values ($1, sha256(convert_to($2, 'UTF8')), left($2, 10), 'tests')`,
      ),
      clock: async () => (await admin.query(`select ${utc('clock_timestamp()')} as now`)).rows[0].now,
      mirror: async (id) => (await admin.query(mirrorText, [id])).rows[0],
      history: async (id) => (await admin.query(historyText, [id])).rows,
    },
  };
}

/**
 * Each statement of the hot path is a step. To break one, the server ends it while it waits for a lock; to lose one,
 * its answer is thrown away.
 */
function stepsOf(statements: StatementRunner, pool: Pool, database: TestDatabase): Steps {
  const { steps, next } = stepping();
  const run: StatementRunner['run'] = statements.run.bind(statements);
  const query = pool.query.bind(pool) as (...words: unknown[]) => Promise<unknown>;
  let losesAnswer = false;
  const answered = async (...words: unknown[]) => {
    const answer = await query(...words);
    if (!losesAnswer) return answer;
    losesAnswer = false;
    throw new Error('Connection terminated unexpectedly');
  };
  Object.assign(pool, { query: answered });
  statements.run = async (statement, values) => {
    const how = await next();
    losesAnswer = how === 'lose';
    if (how !== 'break') return run(statement, values);
    const tables = 'campaign_mirror.campaigns, campaign_mirror.mirrors, campaign_mirror.access_keys';
    const other = await rival(database, `lock table ${tables}`);
    const running = run(statement, values);
    await untilWaiting(database, running)
      .then(() => endWaiting(database))
      .finally(other.rollback);
    return running;
  };
  return steps;
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
