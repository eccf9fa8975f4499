import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
import { freshDatabase } from '../database/database-server.ts';
import { lockMirror, rival, untilWaiting } from '../database/rival.ts';
import { type Call, call } from '../http/caller.ts';
import { type Grouped, grouped } from '../store/grouped.ts';
import { type PostgresWorldOptions, postgresWorld } from '../store/postgres-world.ts';
import { before as addressBefore, named } from '../store/world.ts';
import { dataFolder } from './data-folder.ts';
import { endAll } from './service-process.ts';

/** How long something is there: from before each test to after it, or from before the first to after the last. */
type Life = 'test' | 'suite';

/** In a suite: what is made for its tests, and removed when the processes that they started have ended. */
function during<T extends object>(
  life: Life,
  make: () => Promise<T>,
  remove: (one: T) => Promise<unknown>,
): T {
  let current: T | undefined;
  const [begin, end] = life === 'test' ? [beforeEach, afterEach] : [before, after];
  begin(async () => {
    current = await make();
  });
  end(async () => {
    await endAll();
    if (current) await remove(current);
    current = undefined;
  });
  return new Proxy({} as T, {
    get: (_, name) => {
      if (!current) throw new Error('it is there in hooks and tests only');
      return Reflect.get(current, name);
    },
  });
}

export const databaseOf = (life: Life, make = freshDatabase) => during(life, make, (one) => one.drop());
export function serviceDataOf(life: Life, of?: Parameters<typeof serviceData>[0]) {
  const make = () => serviceData(of);
  return during(life, make, (one) => one.database.drop());
}
export const groupedOf = (life: Life): Grouped => during(life, grouped, (one) => one.close());
export const dataFolderOf = (life: Life) => during(life, dataFolder, (one) => one.remove());

export function worldOf(life: Life, options?: PostgresWorldOptions) {
  const make = async () => {
    const database = await freshDatabase();
    // Sessions as other people set them up: what leaves the database is UTC in ISO 8601 all the same.
    const { admin, name } = database;
    await admin.query(`alter database ${name} set timezone = 'America/St_Johns'`);
    await admin.query(`alter database ${name} set datestyle = 'SQL, DMY'`);
    return { ...(await postgresWorld(database, options)), database };
  };
  return during(life, make, (one) => one.close().finally(() => one.database.drop()));
}

/** A folder for files: `at` is the path of one in it. */
export function folderOf(life: Life) {
  const make = async () => ({ path: await mkdtemp(join(tmpdir(), 'campaign-mirror-test-')) });
  const folder = during(life, make, ({ path }) => rm(path, { recursive: true, force: true }));
  return {
    get path() {
      return folder.path;
    },
    at: (...names: string[]) => join(folder.path, ...names),
  };
}

/** A fresh database with campaigns of one owner to update, each with a mirror, and his key. */
async function serviceData(given: { readonly campaigns?: number; readonly owner?: number } = {}) {
  const owner = (given.owner ?? 1) as OwnerId;
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const campaigns: CampaignId[] = [];
  for (let number = 0; number < (given.campaigns ?? 1); number++) {
    const id = await world.others.createCampaign(owner);
    await world.others.createMirror(id, addressBefore, 0);
    campaigns.push(id);
  }
  const { key } = await world.accessKeys.issue({ owner, name: named('tests') });
  await world.close();
  const one = ({ base }: { base: string }, more?: Partial<Call>): Call => {
    return { base, campaign: campaigns[0] ?? 0, key, address: 'https://example.com/a', ...more };
  };
  return {
    database,
    campaigns: campaigns as readonly CampaignId[],
    key,
    settings: (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
      // As long as may be: no call of a test fails because the machine is slow.
      const patience = { STATEMENT_TIMEOUT: '60s' };
      return { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false', ...patience, ...more };
    },
    one,
    /** Such an update in its middle: it waits for a rival, who holds the campaign until he rolls back. */
    slow: async (service: { base: string }, more?: Partial<Call>) => {
      const holder = await rival(database, lockMirror, campaigns[0]);
      const slow = call(one(service, more));
      await untilWaiting(database, slow);
      return { slow, holder };
    },
    updates: (base: string) => campaigns.map((campaign) => one({ base }, { campaign })),
    recorded: async (): Promise<string[]> => {
      const ids = 'select request_id from campaign_mirror.mirror_history order by id';
      return (await database.admin.query(ids)).rows.map((row) => row.request_id);
    },
  };
}
