import { mock } from 'node:test';
import type { CampaignId, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { endWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { after as afterwards, type Live } from '../support/store/world.ts';

const stepSize = 10_000;

describe('history prune', () => {
  const service = groupedOf('test');
  let live: Live;
  let on: ReturnType<typeof commandsOn>;
  beforeEach(async () => {
    live = await service.campaign();
    on = commandsOn(service.database);
  });

  const words = ['history', 'prune', '--older-than', '400d'];
  const all = [...words, '--yes'];
  const allOld = [...words, '--all'];
  const daysAgo = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z') as Timestamp;
  const left = async (campaign = live.seen.id) => (await service.world.others.history(campaign)).length;

  /** So many changes of a campaign, each at this time. */
  async function old(changes: number, time = daysAgo(500), campaign = live.seen.id): Promise<void> {
    await service.database.admin.query(
      `insert into campaign_mirror.mirror_history
        (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
      select $1, 1, 'operator', 1, 'https://a.example/', 'https://b.example/', $3, n
      from generate_series(1, $2::int) n`,
      [campaign, changes, time],
    );
  }

  it('what is that old goes, of all campaigns, what is younger stays, and the audit tells of each step', async () => {
    const [id, next, last] = [live.seen.id, 1_000_001 as CampaignId, 1_000_002 as CampaignId];
    await old(5, daysAgo(401));
    await old(stepSize + 3, daysAgo(399));
    await old(stepSize, daysAgo(401), next);
    await old(2, daysAgo(401), last);
    await service.set(live, afterwards);
    const { older_than, pruned } = await on.object(...all);
    expect(pruned).to.equal(stepSize + 7);
    const inOrder = [daysAgo(401), older_than, daysAgo(399)];
    expect(inOrder).to.deep.equal(inOrder.toSorted());
    expect([await left(id), await left(next), await left(last)]).to.deep.equal([stepSize + 4, 0, 0]);
    const noted = (await on.objects('audit')).filter(({ act }) => act === 'history-pruned');
    const steps = noted.map(({ details: { first, last, ...details } }) => [details, last - first]);
    expect(steps, 'the newest first').to.deep.equal([
      [{ changes: 7, older_than }, 6],
      // Among those that stay.
      [{ changes: stepSize, older_than }, 2 * stepSize + 2],
    ]);
    expect(new Set(noted.map(({ request_id }) => request_id)).size, 'one act').to.equal(1);

    // A change at that very time is not older.
    const atTheAge = await service.database.admin.query(`select pruned from campaign_mirror.prune_history(
      (select min(changed_at) from campaign_mirror.mirror_history), 2147483647, 10, 'me', 'r')`);
    expect(atTheAge.rows).to.deep.equal([{ pruned: '0' }]);

    const { code, output } = await on.run(...words);
    expect(code, 'nothing is that old: nobody is asked').to.equal(0);
    expect(output).to.match(/^0 changes from before \S+Z are deleted\.\n$/);
  });

  it('it asks first; where nobody can be asked, exit code 2', async () => {
    await old(2 * stepSize);
    const { code, output, errors } = await on.run(...allOld);
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).to.match(/^Delete 20000 changes, those before \S+Z\? .*--yes/);
    const asking = on.asking(...allOld);
    await asking.shows(/Delete 20000 changes, those before \S+Z\?/);
    asking.type('y\r');
    expect((await asking.ended).code, asking.screen).to.equal(0);
    expect(await left()).to.equal(0);
  });

  /** In the second step, so that there is a middle to end in. */
  const row = `select from campaign_mirror.mirror_history where id =
    (select id from campaign_mirror.mirror_history order by id offset ${stepSize + 1} limit 1) for update`;

  it('Ctrl-C, or a database that goes away, between two steps: how many are deleted; run again it does the rest', async () => {
    await old(4 * stepSize);
    const stopped = await on.held(row, ...allOld, '--yes');
    stopped.running.interrupt();
    await stopped.other.rollback();
    expect((await stopped.running.ended).code).to.equal(130);
    const errors = 'Stopped: 20000 changes are deleted. Repeat it to go on.\n';
    expect(stopped.running).to.include({ output: '', errors });

    const away = await on.held(row, ...allOld, '--yes');
    await endWaiting(service.database);
    await away.other.rollback();
    expect((await away.running.ended).code).to.equal(3);
    expect(away.running.errors).to.match(
      /^the database .+ became unavailable \(57P01\): 10000 changes are deleted for certain; run it again\n$/,
    );
    expect(await left()).to.equal(stepSize);
    expect((await on.object(...allOld, '--yes')).pruned).to.equal(stepSize);
  });

  it('where the clocks are apart, or the newest change would go, it deletes nothing', async () => {
    await old(2);
    const newest = await on.run(...all);
    expect(newest).to.include({ code: 1, output: '' });
    expect(newest.errors).to.match(
      /^the newest change of all is from before \S+Z, too, and 2 changes would be deleted: nothing was deleted; .*--all/,
    );
    await service.set(live, afterwards);
    const real = Date.now;
    for (const [hours, line] of [
      [2, /^the clocks of this machine and of the database are 2\.0 hours apart: nothing was deleted; /],
      [-87_600, /are 87600\.0 hours apart/],
    ] as const) {
      const clock = mock.method(Date, 'now', () => real() + hours * 3_600_000);
      const apart = await on.run(...all).finally(() => clock.mock.restore());
      expect(apart).to.include({ code: 1, output: '' });
      expect(apart.errors).to.match(line);
    }
    expect(await left()).to.equal(3);
    expect(await on.object(...all)).to.include({ pruned: 2 });
  });

  it('the function: exactly a day, the lowest numbers first, none above the last, an entry for one; then no owner deletes', async () => {
    const { admin } = service.database;
    await admin.query(
      `insert into campaign_mirror.mirror_history
        (id, campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
      overriding system value
      select n, $1, 1, 'operator', 1, 'https://a.example/', 'https://b.example/', now() - interval '2 days', 'r'
      from unnest('{903,902,901}'::int[]) n`,
      [live.seen.id],
    );
    const prune = async (upTo: number, step: number) => {
      const text =
        "select * from campaign_mirror.prune_history(now() - interval '24 hours', $1, $2, 'me', 'r')";
      return (await admin.query(text, [upTo, step])).rows[0];
    };
    expect(await prune(903, 1)).to.deep.equal({ first_id: '901', last_id: '901', pruned: '1' });
    expect(await prune(902, 10)).to.deep.equal({ first_id: '902', last_id: '902', pruned: '1' });
    const entries = (await on.objects('audit')).filter(({ act }) => act === 'history-pruned');
    expect(entries.map(({ details }) => details.first)).to.deep.equal([902, 901]);
    const deleting = admin.query('delete from campaign_mirror.mirror_history where id = 903');
    expect(await rejection(deleting))
      .to.have.property('message')
      .that.matches(/is append-only/);
    expect(await left()).to.equal(1);
  });

  it('the history of a campaign says that older ones were pruned, also when all were', async () => {
    const { id } = live.seen;
    for (const number of [1, 2, 3]) await service.set(live, `https://step-${number}.example/`);
    const past = `set session_replication_role = replica; update campaign_mirror.mirror_history set changed_at = now() - interval '500 days'`;
    const [, , newest] = await service.world.others.history(id);
    const prune = async (where: string) => {
      await service.database.admin.query(`begin; ${past} ${where}; reset session_replication_role; commit`);
      await on.object(...allOld, '--yes');
    };
    const shown = async (more = '') => (await on.run(`mirror history ${id} ${more}`)).errors;
    expect(await shown()).to.equal('');
    await prune(`where id <> ${newest?.id}`);
    expect(await shown()).to.equal('Older changes were pruned.\n');
    expect(await shown('--limit 1')).to.equal('Older changes were pruned.\n');
    await prune('');
    expect(await shown()).to.equal(
      `The history has no change of campaign ${id}.\nOlder changes were pruned.\n`,
    );
  });
});
