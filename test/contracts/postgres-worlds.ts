import { openHotPath } from '@campaign-mirror/adapters-persistence';
import * as domain from '@campaign-mirror/domain';
import { entriesOf } from '@campaign-mirror/domain/operator';
import type { Steps } from '@campaign-mirror/port-contracts';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import { patient } from '../support/database/patient.ts';
import { endWaiting, rival, untilWaiting } from '../support/database/rival.ts';
import type { World } from '../support/store/postgres-world.ts';
import { change, liveCampaign, named } from '../support/store/world.ts';
import { stepping, unknown, type Worlds } from './worlds.ts';

type Stored = World & { readonly database: TestDatabase };

/** The worlds of PostgreSQL. With `inBatch`, each call is sent in a batch with calls of another campaign. */
export async function postgresWorlds(world: Stored, inBatch: boolean): Promise<Worlds> {
  const { accessKeys, others, database } = world;
  const statements = new StatementRunner(world.pool);
  const hotPath = openHotPath(world.pool, { statements, limits: patient });
  const { campaigns, identity } = inBatch ? await inCompany({ ...world, ...hotPath }) : hotPath;
  const steps = stepsOf(world, statements);
  const issued = new Map<string, domain.AccessKeyId>();
  const issue = async (owner: domain.OwnerId, expiresIn = 3_600, hosts?: domain.HostList) => {
    const only = hosts && { hosts: entriesOf(hosts) };
    const { id, key } = await accessKeys.issue({ owner, name: named('tests'), expiresIn, ...only });
    issued.set(key, id);
    const caller = { ownerId: owner, subject: domain.keySubject(id), key: id, ...(hosts && { hosts }) };
    return { id, credential: key, caller };
  };
  const revoke = (id: domain.AccessKeyId) => accessKeys.revoke({ ids: [id] });
  const insertKey = `insert into campaign_mirror.access_keys (owner_id, hash, displayed, name)
    values ($1, sha256(convert_to($2, 'UTF8')), left($2, 10), 'tests')`;
  return {
    campaigns: {
      ...{ steps, campaigns, others },
      keys: { issue: async (owner, expiresIn) => (await issue(owner, expiresIn)).id, revoke },
    },
    identity: {
      ...{ steps, identity, issue, unknown, expires: true },
      issueUnknown: (owner, key) => database.admin.query(insertKey, [owner, key]),
      revoke: (key) => revoke(issued.get(key) as domain.AccessKeyId),
    },
  };
}

/** Sends each call in a batch with calls of a companion, which sets its mirror twice. */
async function inCompany(world: Stored): Promise<Pick<World, 'campaigns' | 'identity'>> {
  const { campaigns, identity } = world;
  const { seen, key, by } = await liveCampaign(world);
  const set = () => campaigns.setMirror(seen, change(by));
  return {
    identity: {
      whoIs: async (credential, options) => {
        const both = [identity.whoIs(credential, options), identity.whoIs(key, { afresh: true })] as const;
        return (await Promise.all(both))[0];
      },
    },
    campaigns: {
      find: async (id) => (await Promise.all([campaigns.find(id), campaigns.find(seen.id)]))[0],
      setMirror: async (asSeen, to) => {
        const [result, ...served] = await Promise.all([campaigns.setMirror(asSeen, to), set(), set()]);
        if (served.some(({ kind }) => kind !== 'mirror-set')) throw new Error('the companion was not served');
        return result;
      },
    },
  };
}

/**
 * Each statement of the hot path is a step. To break one, the server ends it while it waits for a lock; to lose one,
 * its answer is thrown away.
 */
function stepsOf({ pool, database }: Stored, statements: StatementRunner): Steps {
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
