import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import pg from 'pg';
import { createRoles, query } from '../../support/database/client.ts';
import { dedicatedServer } from '../../support/database/dedicated-server.ts';
import { tcpProxy } from '../../support/database/tcp-proxy.ts';
import { endAll, sharingServices } from '../../support/process/service-process.ts';
import { eventually } from '../../support/promises.ts';
import { seed } from '../../support/seed.ts';
import { violationsOf } from '../check.ts';
import { Random } from '../workload/known.ts';
import { recorded } from '../workload/run.ts';
import { type Fault, faults } from './faults.ts';

const around = 100;
/** The maximum number of connections of both services: pool, probe, and a probe that is being opened. */
const maxConnections = 2 * (10 + 2);
const database = 'mirror';

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Two processes that serve one port, on a PostgreSQL that only they use, behind a network that can fail. */
async function openStage() {
  const server = await dedicatedServer();
  const address = (role: Role) => server.address(roles[role], database);
  await query(server.address('postgres'), createRoles);
  await query(server.address('postgres'), `create database ${database} owner ${roles.owner}`);
  await migrate(address('owner'));
  const admin = new pg.Pool(server.address('postgres', database));
  admin.on('error', () => {});
  const proxy = await tcpProxy(server.address('postgres'));
  const DATABASE_URL = `postgres://${roles.service}@127.0.0.1:${proxy.port}/${database}`;
  const settings = { DATABASE_URL, RUN_MIGRATIONS: 'false', FAILED_KEY_LIMIT: 'off' };
  const sharing = await sharingServices(settings);
  const close = async () => {
    await endAll();
    await proxy.close();
    await admin.end();
    await server.remove();
  };
  return { server, address, admin, proxy, ...sharing, close };
}

/** Resolves with the record of a run under this fault. `recovery`: milliseconds from its end to the next 200. */
export async function underFault(name: keyof typeof faults) {
  const stage = await openStage();
  const fault: Fault = faults[name];
  let recovery = Number.NaN;
  try {
    const workload = { store: stage, base: stage.base, seed, afterwards: () => isIdle(stage) };
    const record = await recorded(workload, async (recorder) => {
      await recorder.updates(around);
      await fault(stage, recorder, new Random(seed));
      const gone = performance.now();
      recovery = (await recorder.next(({ status }) => status === 200)).end - gone;
      await recorder.updates(around);
    });
    return { record, violations: violationsOf(record), recovery };
  } finally {
    await stage.close();
  }
}

/** The services keep no transaction open, and no more connections than their pools have. */
async function isIdle({ admin }: Stage): Promise<void> {
  await eventually('idle sessions of the services', async () => {
    const sessions = 'select state from pg_stat_activity where usename = $1';
    const { rows } = await admin.query(sessions, [roles.service]);
    expect(rows.filter(({ state }) => state !== 'idle')).to.deep.equal([]);
    expect(rows.length).to.be.at.most(maxConnections);
  });
}
