import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { StartedCommand } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect, createRoles, query } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { recordChange } from '../support/database/recorded-changes.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { endAll } from '../support/process/service-process.ts';

const database = 'mirror';

async function prepare(primary: DedicatedServer): Promise<void> {
  await query(primary.address('postgres'), createRoles);
  await query(primary.address('postgres'), `create database ${database} owner ${roles.owner}`);
  await migrate(primary.address(roles.owner, database));
}

describe('mirror follow: a restart, a broken network or a promotion loses no change', () => {
  let servers: Replicated;
  let proxy: TcpProxy;
  beforeEach(async () => {
    servers = await replicated(prepare);
    proxy = await tcpProxy({ ...servers.primary.address('postgres') });
  });
  afterEach(async () => {
    await endAll();
    await proxy.close();
    await servers.remove();
  });

  const on = (server: DedicatedServer, role: Role = 'owner') =>
    connect(server.address(roles[role], database));
  async function following(port = proxy.port, ...from: string[]) {
    const DATABASE_URL = `postgres://${roles.operator}@127.0.0.1:${port}/${database}`;
    const running = new StartedCommand(['mirror', 'follow', '--json', ...from], { DATABASE_URL });
    await running.says(() => running.errors.includes('Following') || undefined);
    const numbers = (): number[] => objectsOf(running.output).flatMap(({ id }) => id ?? []);
    return {
      running,
      numbers,
      has: (last: number) => running.says(() => numbers().includes(last) || undefined),
    };
  }

  it('ends with exit code 3 if the connection is lost, and goes on from its last position', async () => {
    const { primary } = servers;
    const change = async () => {
      const client = await on(primary);
      return recordChange(client).finally(() => client.end());
    };
    const ends = async ({ running }: Awaited<ReturnType<typeof following>>) => {
      expect((await running.ended).code, running.errors).to.equal(3);
      expect(running.errors).to.include(
        ': with --from and the last position no change is lost; run it again\n',
      );
      return objectsOf(running.output).at(-1).position;
    };
    let followed = await following();
    await followed.has(await change());
    proxy.cut();
    followed = await following(proxy.port, '--from', await ends(followed));
    await followed.has(await change());
    // The connection stays open, but no answer arrives.
    proxy.freeze();
    const position = await ends(followed);
    const missed = await change();
    proxy.thaw();
    followed = await following(proxy.port, '--from', position);
    await followed.has(missed);
    expect(followed.numbers()).to.deep.equal([missed]);
    await primary.kill();
    const last = await ends(followed);
    await primary.start();
    const refused = await following(proxy.port, '--from', last);
    expect((await refused.running.ended).code, 'positions end with the server').to.equal(4);
  });

  it('prints each change once on a standby, beside an open transaction and after the promotion', async () => {
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
