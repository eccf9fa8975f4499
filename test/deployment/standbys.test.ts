import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { redirectorProgram, watched } from '../support/process/redirector.ts';
import { endAll } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';

const filling = `
  insert into campaign_mirror.campaigns (owner_id) select 1 from generate_series(1, 2);
  insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url)
    select id, 1, false, 'https://mirror.example/0' from campaign_mirror.campaigns`;

describe('redirectors on a standby of PostgreSQL 15', () => {
  let stage: Replicated;
  const startRedirector = redirectorProgram();
  before(async () => {
    program('pg_dump');
    const prepare = async (primary: DedicatedServer) => {
      const client = await connect(primary.address('postgres'));
      for (const name of Object.values(roles)) await client.query(`create role ${name} login`);
      await migrate(primary.address('postgres'));
      await client.query(filling);
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

  it('show each change and never an older one, also through a promotion; clicks reach the primary', async () => {
    const ways = { DATABASE_URL: url(stage.primary), READ_DATABASE_URL: url(stage.standby) };
    const redirectors = [await startRedirector(ways), await startRedirector(ways)];
    const visitors = redirectors.map(({ visit }) => watched(async () => (await visit(1)).location));
    let number = 0;
    const change = async (server: DedicatedServer) => {
      number += 1;
      const address = `https://mirror.example/${number}`;
      const done = await command(['mirror', 'set', '1', address, '--as-operator'], {
        DATABASE_URL: url(server, roles.operator),
      });
      expect(done).to.include({ code: 0 });
    };
    const arrive = () =>
      eventually(`visitors with ${number}`, () => {
        for (const { last } of visitors) expect(last()).to.equal(number);
      });
    await arrive();
    // It stays open: on a standby, changes come again meanwhile.
    const writer = await connect(stage.primary.address('postgres'));
    await writer.query('begin; update campaign_mirror.mirrors set clicks = 5 where campaign_id = 2');
    for (let count = 0; count < 10; count++) {
      await change(stage.primary);
      await arrive();
    }
    const counted = async () =>
      (await writer.query('select clicks::int from campaign_mirror.mirrors where campaign_id = 1')).rows[0]
        .clicks;
    await eventually('the clicks', async () => expect(await counted()).to.be.above(2));
    await writer.end();

    await stage.primary.kill();
    await stage.promote();
    for (let count = 0; count < 10; count++) {
      await change(stage.standby);
      await arrive();
    }
    await Promise.all(visitors.map(({ stop }) => stop()));
    for (const one of visitors) expect(one.faults).to.deep.equal([]);
    expect(redirectors.map(({ process }) => process.child.exitCode)).to.deep.equal([null, null]);
  });
});
