import { migrate, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { redirectorProgram } from '../support/process/redirector.ts';
import { endAll } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const first = 'https://first.example/';
const filling = `
  insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, 2);
  insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
    select id, 1, false, '${first}' from campaign_mirror.campaigns`;

describe('examples/redirector on a standby', () => {
  let stage: Replicated;
  const startRedirector = redirectorProgram();
  before(async () => {
    stage = await replicated(async (primary) => {
      const client = await connect(primary.address('postgres'));
      for (const name of Object.values(roles)) await client.query(`create role ${name} login`);
      await migrate(primary.address('postgres'));
      await client.query(filling);
      await client.end();
    });
  });
  after(async () => {
    await endAll();
    await stage?.remove();
  });

  const url = (server: DedicatedServer, user: string = roles.redirector) => {
    const { host, port } = server.address(user);
    return `postgres://${user}@${host}:${port}/postgres`;
  };
  const set = async (server: DedicatedServer, address: string) =>
    expect(
      await command(['mirror', 'set', '1', address, '--as-operator'], {
        DATABASE_URL: url(server, roles.operator),
      }),
    ).to.include({ code: 0 });

  it('a change takes effect while a transaction stays open, clicks reach the primary, a promotion hides nothing', async () => {
    const { process, visit } = await startRedirector({
      DATABASE_URL: url(stage.primary),
      READ_DATABASE_URL: url(stage.standby),
    });
    const takesEffect = (address: string) =>
      eventually(address, async () => expect((await visit(1)).location).to.equal(address));
    const writer = await connect(stage.primary.address('postgres'));
    await writer.query('begin; update campaign_mirror.mirrors set clicks = 5 where campaign_id = 2');
    for (const address of [first, 'https://second.example/', 'https://third.example/']) {
      if (address !== first) await set(stage.primary, address);
      await takesEffect(address);
    }
    const counted = async () =>
      (await writer.query('select clicks::int from campaign_mirror.mirrors where campaign_id = 1')).rows[0]
        .clicks;
    await eventually('the clicks', async () => expect(await counted()).to.be.above(2));
    await writer.end();
    await stage.primary.kill();
    expect((await visit(1)).location).to.equal('https://third.example/');
    await stage.promote();
    await set(stage.standby, 'https://fourth.example/');
    await takesEffect('https://fourth.example/');
    expect(process.child.exitCode).to.equal(null);
  });
});
