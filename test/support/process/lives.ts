import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
import { freshDatabase } from '../database/database-server.ts';
import { lockMirror, rival, untilWaiting } from '../database/rival.ts';
import { type Call, call } from '../http/caller.ts';
import { type Grouped, grouped } from '../store/grouped.ts';
import { postgresWorld } from '../store/postgres-world.ts';
import { before as addressBefore, named } from '../store/world.ts';
import { dataFolder } from './data-folder.ts';
import { endAll } from './service-process.ts';

/** Whether each test has its own, or all tests of the suite share one. */
type Life = 'test' | 'suite';

/** Makes an object before the tests, ends the processes that they started, and removes the object. */
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
      if (!current) throw new Error('it exists only in hooks and tests');
      return Reflect.get(current, name);
    },
  });
}

export const databaseOf = (life: Life, make = freshDatabase) => during(life, make, (one) => one.drop());
export function serviceDataOf(life: Life, of: { readonly campaigns?: number; readonly owner?: number } = {}) {
  const make = () => serviceData(of.campaigns ?? 1, (of.owner ?? 1) as OwnerId);
  return during(life, make, (one) => one.database.drop());
}
export const groupedOf = (life: Life): Grouped => during(life, grouped, (one) => one.close());
export const dataFolderOf = (life: Life) => during(life, dataFolder, (one) => one.remove());

/** A temporary folder; `at` returns the path of a file in it, and can be taken before the tests. */
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

/** A database with campaigns of one owner, each with a mirror, and a key of the owner. */
async function serviceData(count: number, owner: OwnerId) {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const campaigns: CampaignId[] = [];
  for (let number = 0; number < count; number++) {
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
    ...{ campaigns: campaigns as readonly CampaignId[], key, one },
    /** The time limit is long enough for a slow machine. */
    settings: (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
      const usual = { RUN_MIGRATIONS: 'false', STATEMENT_TIMEOUT: '60s' };
      return { DATABASE_URL: database.url('service'), ...usual, ...more };
    },
    /** An update that waits for the lock of `holder`. */
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
