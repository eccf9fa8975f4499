import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { redirectorProgram, watched } from '../support/process/redirector.ts';
import { endAll } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

describe('redirectors on a standby of PostgreSQL 15 serve each change, and never an older address', () => {
  let stage: Replicated;
  const startRedirector = redirectorProgram();
  before(async () => {
    const prepare = async (primary: DedicatedServer) => {
      const client = await connect(primary.address('postgres'));
      for (const name of Object.values(roles)) await client.query(`create role ${name} login`);
      await migrate(primary.address('postgres'));
      await client.query(`
        insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, 2);
        insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
          select id, 1, false, 'https://mirror.example/0' from campaign_mirror.campaigns`);
      await client.end();
    };
    stage = await replicated(prepare, undefined, '/usr/lib/postgresql/15');
  });
  after(async () => {
    await endAll();
    await stage?.remove();
  });

  const url = (server: DedicatedServer, user: string = roles.redirector) => {
    const { host, port } = server.address(user);
    return `postgres://${user}@${host}:${port}/postgres`;
  };

  it('also through a promotion; clicks are counted on the primary', async () => {
    const addresses = { DATABASE_URL: url(stage.primary), READ_DATABASE_URL: url(stage.standby) };
    const redirectors = [await startRedirector(addresses), await startRedirector(addresses)];
    const visitors = redirectors.map(({ visit }) => watched(async () => (await visit(1)).location));
    let number = 0;
    const arrived = () =>
      eventually(`visitors with ${number}`, () => {
        for (const { last } of visitors) expect(last()).to.equal(number);
      });
    async function changeTenTimes(server: DedicatedServer) {
      const settings = { DATABASE_URL: url(server, roles.operator) };
      for (let count = 0; count < 10; count++) {
        number += 1;
        const words = ['mirror', 'set', '1', `https://mirror.example/${number}`, '--as-operator'];
        expect(await command(words, settings)).to.include({ code: 0 });
        await arrived();
      }
    }
    await arrived();
    // While this transaction is open, the feed of the standby repeats changes.
    const writer = await connect(stage.primary.address('postgres'));
    await writer.query('begin; update campaign_mirror.mirrors set clicks = 5 where campaign_id = 2');
    await changeTenTimes(stage.primary);
    const clicks = 'select clicks::int from campaign_mirror.mirrors where campaign_id = 1';
    await eventually('the clicks', async () =>
      expect((await writer.query(clicks)).rows[0].clicks).to.be.above(2),
    );
    await writer.end();

    await stage.primary.kill();
    await stage.promote();
    await changeTenTimes(stage.standby);
    await Promise.all(visitors.map(({ stop }) => stop()));
    for (const one of visitors) expect(one.faults).to.deep.equal([]);
    expect(redirectors.map(({ process }) => process.child.exitCode)).to.deep.equal([null, null]);
  });
});
