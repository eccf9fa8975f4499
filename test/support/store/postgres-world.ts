import {
  type DatabaseAddress,
  openDatabase,
  PostgresAccessKeys,
  PostgresSettings,
  postgresAudit,
  postgresCampaignExport,
  postgresCampaignImport,
  postgresCampaignRecords,
  type Role,
} from '@campaign-mirror/adapters-persistence/service';
import type {
  AccessKeyId,
  CampaignId,
  CampaignRepository,
  HistoryEntry,
  Identity,
  Mirror,
  OwnerId,
} from '@campaign-mirror/domain';
import type { Others, Steps } from '@campaign-mirror/port-contracts';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import {
  type Statement,
  StatementRunner,
} from '../../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import type { TestDatabase } from '../database/database-server.ts';
import { patient } from '../database/patient.ts';
import { endWaiting, rival, untilWaiting } from '../database/rival.ts';
import { hotPathBy } from './hot-paths.ts';
import { stepping } from './stepping.ts';
import { change, type Live, liveCampaign, tester } from './world.ts';

/** A store with all ports, and what happens to it by other hands than theirs. */
export interface World extends Omit<Awaited<ReturnType<typeof postgresPorts>>, 'statements' | 'pool'> {
  readonly others: StoreOthers;
  readonly steps: Steps;
}

export interface StoreOthers extends Required<Others> {
  /** Issues this key. */
  issueKey(owner: OwnerId, key: string): Promise<unknown>;
  expireKey(key: AccessKeyId): Promise<unknown>;
  deleteKey(key: AccessKeyId): Promise<unknown>;
  /** Gives the key's number to another owner's key, as a restored backup can. */
  giveKey(key: AccessKeyId, to: OwnerId): Promise<unknown>;
}

interface Ports {
  readonly campaigns: CampaignRepository;
  readonly identity: Identity;
}

export interface PostgresWorldOptions {
  /** No call goes alone: with each goes a chain of two of another campaign. */
  readonly besideAChain?: boolean;
  /** What the hot path runs its statements by. */
  readonly statementsOn?: (pool: Pool) => StatementRunner;
}

/** The ports alone, each with the rights of the role that uses it. */
export async function postgresPorts(
  { address }: { address(role: Role): DatabaseAddress },
  { besideAChain = false, statementsOn = (pool) => new StatementRunner(pool) }: PostgresWorldOptions = {},
) {
  const service = await openDatabase(address('service'), patient);
  const operator = await openDatabase(address('operator'), patient);
  const settings = new PostgresSettings(operator.orm, tester);
  const accessKeys = new PostgresAccessKeys(operator.orm, tester);
  const statements = statementsOn(service.pool);
  const alone = hotPathBy(service.pool, { statements });
  const companion = () => liveCampaign({ settings, accessKeys });
  const ports = besideAChain ? inCompany(alone, companion) : alone;
  return {
    statements,
    pool: service.pool,
    ...ports,
    settings,
    records: postgresCampaignRecords(operator),
    accessKeys,
    audit: postgresAudit(operator.orm),
    imports: postgresCampaignImport(operator.pool, tester),
    exports: postgresCampaignExport(operator.pool),
    close: async () => {
      await service.close();
      await operator.close();
    },
  };
}

/**
 * Ports on which nobody goes alone: with each call goes one of its kind for another campaign, or another key, so that
 * what is seen of it is seen of the statements for many. The companion sets its mirror twice, which makes a chain.
 */
function inCompany({ campaigns, identity }: Ports, another: () => Promise<Live>): Ports {
  let made: Promise<Live> | undefined;
  const companion = () => {
    made ??= another();
    return made;
  };
  return {
    identity: {
      whoIs: async (asked, options) => {
        const { key } = await companion();
        const both = [identity.whoIs(key, { afresh: true }), identity.whoIs(asked, options)] as const;
        return (await Promise.all(both))[1];
      },
    },
    campaigns: {
      find: async (id) => {
        const { seen } = await companion();
        const [, campaign] = await Promise.all([campaigns.find(seen.id), campaigns.find(id)]);
        return campaign;
      },
      setMirror: async (asSeen, to) => {
        const { seen, by } = await companion();
        const theirs = [campaigns.setMirror(seen, change(by)), campaigns.setMirror(seen, change(by))];
        const [result, ...served] = await Promise.all([campaigns.setMirror(asSeen, to), ...theirs]);
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
      giveKey: run('update campaign_mirror.access_keys set owner_id = $2 where id = $1'),
      issueKey: run(
        `insert into campaign_mirror.access_keys (owner_id, hash, displayed, name)
         values ($1, sha256(convert_to($2, 'UTF8')), left($2, 10), 'tests')`,
      ),
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

/**
 * Each statement of the hot path is a step. One that breaks is ended by the server while it waits for a lock; the answer of
 * one is lost with its connection.
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
  statements.run = async (statement: Statement, values: readonly unknown[]): Promise<TextRow[]> => {
    const how = await next();
    losesAnswer = how === 'lose';
    if (how !== 'break') return run(statement, values);
    const other = await rival(database, `lock table ${tables.map((one) => `campaign_mirror.${one}`)}`);
    const running = run(statement, values);
    await untilWaiting(database, running)
      .then(() => endWaiting(database))
      .finally(other.rollback);
    return running;
  };
  return steps;
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
