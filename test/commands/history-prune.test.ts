import { mock } from 'node:test';
import type { CampaignId, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { groupedOf } from '../support/process/lives.ts';
import { after as afterwards, type Live } from '../support/store/world.ts';

const stepSize = 10_000;

describe('history prune: the operator deletes old changes, and only these', () => {
  const service = groupedOf('test');
  let live: Live;
  let on: ReturnType<typeof commandsOn>;
  beforeEach(async () => {
    live = await service.campaign();
    on = commandsOn(service.database);
  });

  const prune = 'history prune --older-than 400d';
  const all = `${prune} --all`;
  const daysAgo = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z') as Timestamp;
  const left = async (campaign = live.seen.id) => (await service.world.others.history(campaign)).length;

  async function recorded(changes: number, days = 500, campaign = live.seen.id): Promise<void> {
    await service.database.admin.query(
      `insert into campaign_mirror.mirror_history
        (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
      select $1, 1, 'operator', 1, 'https://a.example/', 'https://b.example/', $3, n
      from generate_series(1, $2::int) n`,
      [campaign, changes, daysAgo(days)],
    );
  }

  it('deletes changes above the age, of all campaigns, and the audit has each step', async () => {
    const [id, next, last] = [live.seen.id, 1_000_001 as CampaignId, 1_000_002 as CampaignId];
    await recorded(5, 401);
    await recorded(stepSize + 3, 399);
    await recorded(stepSize, 401, next);
    await recorded(2, 401, last);
    await service.set(live, afterwards);
    const { older_than, pruned } = await on.object(`${prune} --yes`);
    expect(pruned).to.equal(stepSize + 7);
    expect([await left(id), await left(next), await left(last)]).to.deep.equal([stepSize + 4, 0, 0]);
    const entries = await on.objects('audit --act history-pruned');
    const steps = entries.map(({ details: { first, last, ...details } }) => details);
    expect(steps).to.deep.equal([
      { changes: 7, older_than },
      { changes: stepSize, older_than },
    ]);
    expect(new Set(entries.map(({ request_id }) => request_id)).size, 'one act').to.equal(1);
    const { code, output } = await on.run(prune);
    expect(code, 'no question if nothing is that old').to.equal(0);
    expect(output).to.match(/^0 changes from before \S+Z are deleted\.\n$/);
  });

  it('asks first; without a terminal it deletes nothing, with exit code 2', async () => {
    await recorded(2);
    const { code, output, errors } = await on.run(all);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).to.match(/^Delete 2 changes, those before \S+Z\? .*--yes/);
    const asking = on.asking(all);
    await asking.shows(/Delete 2 changes, those before \S+Z\?/);
    asking.type('y\r');
    expect((await asking.ended).code, asking.screen).to.equal(0);
    expect(await left()).to.equal(0);
  });

  it('says at Ctrl-C how many it deleted; run again it deletes the rest', async () => {
    /** In the second step. */
    const row = `select from campaign_mirror.mirror_history where id =
      (select id from campaign_mirror.mirror_history order by id offset ${stepSize + 1} limit 1) for update`;
    await recorded(4 * stepSize);
    const stopped = await on.held(row, `${all} --yes`);
    stopped.running.stop();
    await stopped.other.rollback();
    expect((await stopped.running.ended).code).to.equal(130);
    expect(stopped.running.errors).to.equal('Stopped: 20000 changes are deleted. Repeat it to go on.\n');
    expect(await left()).to.equal(2 * stepSize);
    expect((await on.object(`${all} --yes`)).pruned).to.equal(2 * stepSize);
  });

  it('deletes nothing if the clocks differ, or if the newest change would go', async () => {
    await recorded(2);
    const newest = await on.run(`${prune} --yes`);
    expect(newest).to.include({ code: 1, output: '' });
    expect(newest.errors).to.match(
      /^the newest change of all is from before .* nothing was deleted; .*--all/,
    );
    await service.set(live, afterwards);
    const real = Date.now;
    const clock = mock.method(Date, 'now', () => real() + 2 * 3_600_000);
    const apart = await on.run(`${prune} --yes`).finally(() => clock.mock.restore());
    expect(apart).to.include({ code: 1, output: '' });
    expect(apart.errors).to.match(/^the clocks .* are 2\.0 hours apart: nothing was deleted; /);
    expect(await left()).to.equal(3);
  });
});
