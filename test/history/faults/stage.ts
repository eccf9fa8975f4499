import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import pg from 'pg';
import { connect } from '../../support/database/client.ts';
import { dedicatedServer } from '../../support/database/dedicated-server.ts';
import { tcpProxy } from '../../support/database/tcp-proxy.ts';
import { endAll, eventsOf, sharingServices, times } from '../../support/process/service-process.ts';

const database = 'mirror';

/** Makes a process of Node collect its garbage and say how much it holds then, whenever it gets SIGUSR2. */
const tellingMemory = `
  import { writeSync } from 'node:fs';
  process.on('SIGUSR2', () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    writeSync(1, JSON.stringify({ event: 'memory', held: heapUsed + external }) + '\\n');
  });`;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Processes that serve on one port, on a PostgreSQL of their own, with a network between them that can be disturbed. */
export async function openStage(processes: number) {
  const server = await dedicatedServer();
  const address = (role: Role) => server.address(roles[role], database);
  const first = await connect(server.address('postgres'));
  for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
  await first.query(`create database ${database} owner ${roles.owner}`);
  await first.end();
  await migrate(address('owner'));
  const admin = new pg.Pool(server.address('postgres', database));
  admin.on('error', () => {});
  const { host = '', port = 0 } = server.address('postgres');
  const proxy = await tcpProxy({ host, port });
  const { base, services, another } = await sharingServices(
    {
      DATABASE_URL: `postgres://${roles.service}@127.0.0.1:${proxy.port}/${database}`,
      RUN_MIGRATIONS: 'false',
      FAILED_KEY_LIMIT: 'off',
      NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${encodeURIComponent(tellingMemory)}`,
    },
    processes,
  );
  return {
    server,
    address,
    admin,
    proxy,
    base,
    /** Those that serve at the moment; `another` joins them. */
    services,
    another,
    /** What they hold after their garbage was collected, in bytes, on the heap and beside it. */
    async memory(): Promise<number> {
      let sum = 0;
      for (const { process: service } of services) {
        const before = eventsOf(service, 'memory').length;
        service.child.kill('SIGUSR2');
        sum += Number((await times(service, 'memory', before + 1)).at(-1)?.held);
      }
      return sum;
    },
    async close(): Promise<void> {
      await endAll();
      await proxy.close();
      await admin.end();
      await server.remove();
    },
  };
}
