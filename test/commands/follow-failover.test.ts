import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { Client } from 'pg';
import { startCommand } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { recordChange } from '../support/database/recorded-changes.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { endAll } from '../support/process/service-process.ts';

const database = 'mirror';

async function prepare(primary: DedicatedServer): Promise<void> {
  const first = await connect(primary.address('postgres'));
  for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
  await first.query(`create database ${database} owner ${roles.owner}`);
  await first.end();
  await migrate(primary.address(roles.owner, database));
}

describe('mirror follow, when its server ends, is replaced, or is a standby', () => {
  let servers: Replicated;
  let proxy: TcpProxy;
  /** Where the proxy connects to. */
  let target: { host: string; port: number };
  beforeEach(async () => {
    servers = await replicated(prepare);
    target = { ...servers.primary.address('postgres') };
    proxy = await tcpProxy(target);
  });
  afterEach(async () => {
    await endAll();
    await proxy.close();
    await servers.remove();
  });

  const on = (server: DedicatedServer, role: Role = 'owner') =>
    connect(server.address(roles[role], database));
  async function following(port = proxy.port) {
    const DATABASE_URL = `postgres://${roles.operator}@127.0.0.1:${port}/${database}`;
    const running = startCommand(['mirror', 'follow', '--json'], { DATABASE_URL });
    const says = (text: string | RegExp, after = 0) =>
      running.says(() => running.errors.slice(after).match(text) ?? undefined);
    await says('Following');
    const numbers = (): number[] => objectsOf(running.output).map(({ id }) => id);
    return {
      running,
      says,
      numbers,
      has: (last: number) => running.says(() => numbers().includes(last) || undefined),
    };
  }

  it('a restart, a crash and lost connections: nothing twice, nothing missed, and a note for each', async () => {
    const { primary } = servers;
    const all: number[] = [];
    const change = async () => {
      const client = await on(primary);
      all.push(await recordChange(client));
      await client.end();
    };
    await change();
    // From before the beginning: they are not printed later, either.
    all.pop();
    const { running, says, numbers, has } = await following();
    let slow: Client | undefined;
    let began = 0;
    const faults: [meanwhile: () => Promise<unknown>, after: () => Promise<unknown>][] = [
      [primary.stop, primary.start],
      [primary.kill, primary.start],
      [async () => proxy.cut(), async () => {}],
      [
        async () => {
          slow = await on(primary);
          await slow.query('begin');
          began = await recordChange(slow);
          await change();
          await has(all.at(-1) ?? 0);
          await proxy.refuse();
        },
        // What is committed meanwhile comes, also what has begun before the last that was printed.
        async () => {
          await slow?.query('commit');
          await slow?.end();
          all.push(began);
          await change();
          await proxy.accept();
        },
      ],
      // Half open: nothing is answered, and nobody says so.
      [async () => proxy.freeze(), async () => proxy.thaw()],
      [
        proxy.refuse,
        // The clock of the server that answers next is behind.
        async () => {
          const client = await on(primary);
          all.push(await recordChange(client, { at: '2026-01-01T00:00:00Z' }));
          await client.end();
          await proxy.accept();
        },
      ],
    ];
    for (const [meanwhile, after] of faults) {
      const told = running.errors.length;
      await change();
      await has(all.at(-1) ?? 0);
      await meanwhile();
      await says(/became unavailable \(.+\): connecting again\.\n/, told);
      await after();
      await says(/Connected again: reading again from \S+Z on, without what was printed\.\n/, told);
      await change();
      await has(all.at(-1) ?? 0);
    }
    expect(numbers()).to.deep.equal(all);
    expect(await running.stop()).to.include({ code: 0 });
  });

  it('on a standby: once, while a writer on the primary is open, and after the promotion', async () => {
    const { primary, standby, caughtUp, promote } = servers;
    const open = await on(primary);
    await open.query('begin');
    const long = await recordChange(open);
    const client = await on(primary);
    await recordChange(client);
    await caughtUp();
    const { running, numbers, has } = await following(standby.address('postgres').port);
    const all: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      all.push(await recordChange(client));
      await has(all.at(-1) ?? 0);
    }
    // So many that it does not remember all that it printed.
    const { rows } = await client.query(
      `insert into campaign_mirror.mirror_history
         (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
       select 1, 1, 'operator', 1, 'https://before.example/', 'https://after.example/', '2026-01-01', 'r'
       from generate_series(1, 2000) returning id`,
    );
    all.push(...rows.map(({ id }) => Number(id)));
    all.push(await recordChange(client));
    await has(all.at(-1) ?? 0);
    await open.query('commit');
    all.push(long);
    await has(long);
    await caughtUp();
    for (const one of [open, client]) await one.end();
    await promote();
    const promoted = await on(standby);
    all.push(await recordChange(promoted));
    await promoted.end();
    await has(all.at(-1) ?? 0);
    expect(numbers()).to.deep.equal(all);
    expect(running.errors).to.equal('Following. Ctrl-C ends it.\n');
    expect(await running.stop()).to.include({ code: 0 });
  });
});
