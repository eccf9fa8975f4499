import type { CampaignId, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { setMirrorText } from '../../packages/adapters-persistence/src/statements/set-mirror-text.ts';
import { command, startCommand, startCommandProcess } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { load } from '../support/http/caller.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { terminal } from '../support/process/terminal.ts';
import { after as afterwards, change, type Live, mirrorSet } from '../support/store/world.ts';

const stepSize = 10_000;

/** Lets a minute pass in two seconds, in the command. */
const hurried = `data:text/javascript,${encodeURIComponent(`
  const { setTimeout: real } = globalThis;
  globalThis.setTimeout = (run, time, ...rest) => real(run, time > 30_000 ? time / 30 : time, ...rest);`)}`;

describe('commands — history prune', () => {
  const service = liveServiceOf('test');
  let live: Live;
  beforeEach(async () => {
    live = await service.campaign();
  });

  const settings = () => ({ DATABASE_URL: service.database.url('operator') });
  const prune = (...args: string[]) => command(['history', 'prune', ...args], settings());
  const daysAgo = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z') as Timestamp;
  const left = async () => (await service.world.others.history(live.seen.id)).length;

  /** So many changes of the campaign, each so many days ago. */
  async function old(changes: number, days = 500): Promise<void> {
    await service.database.admin.query(
      `insert into campaign_mirror.mirror_history
        (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
      select $1, 1, 'operator', 1, 'https://a.example/', 'https://b.example/', $3, n
      from generate_series(1, $2::int) n`,
      [live.seen.id, changes, daysAgo(days)],
    );
  }

  it('what is that old goes, what is younger stays, and the audit tells', async () => {
    await old(stepSize + 5, 401);
    await old(3, 399);
    await service.set(live, afterwards);
    const { code, output, errors } = await prune('--older-than', '400d', '--yes', '--json');
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    const { older_than, pruned } = JSON.parse(output);
    expect(pruned).to.equal(stepSize + 5);
    const inOrder = [daysAgo(401), older_than, daysAgo(399)];
    expect(inOrder).to.deep.equal(inOrder.toSorted());
    expect(await left()).to.equal(4);
    const noted = (await service.world.audit.list({ limit: 10 })).filter(
      ({ act }) => act === 'history-pruned',
    );
    expect(noted.map(({ details }) => details)).to.deep.equal([
      { changes: 5, older_than },
      { changes: stepSize, older_than },
    ]);
    expect(new Set(noted.map(({ requestId }) => requestId)).size, 'one act').to.equal(1);
  });

  it('nothing is that old: nobody is asked', async () => {
    await old(2, 399);
    const { code, output } = await prune('--older-than', '400d');
    expect(code).to.equal(0);
    expect(output).to.match(/^0 changes from before \S+Z are deleted\.\n$/);
  });

  it('nobody to ask: exit code 2 and what it would delete, and nothing is deleted', async () => {
    await old(7);
    const { code, output, errors } = await prune('--older-than', '400d');
    expect({ code, output }).to.deep.equal({ code: 2, output: '' });
    expect(errors).to.match(/^Delete 7 of 7 changes, those before \S+Z\?\n.*--yes/);
    expect(await left()).to.equal(7);
  });

  it('in a terminal it asks, and shows how far it is', async () => {
    await old(2 * stepSize);
    const refused = terminal(['history', 'prune', '--older-than', '400d'], settings());
    await refused.shows(/Delete 20000 of 20000 changes, those before \S+Z\?/);
    refused.type('n\r');
    expect((await refused.ended).code).to.equal(1);
    expect(refused.screen).to.include('Nothing was done.');
    expect(await left()).to.equal(2 * stepSize);

    const agreed = terminal(['history', 'prune', '--older-than', '400d'], settings());
    await agreed.shows('Delete 20000 of 20000');
    agreed.type('y\r');
    expect((await agreed.ended).code, agreed.screen).to.equal(0);
    expect(agreed.screen).to.match(/Pruning .* of 20000/);
    expect(agreed.screen).to.match(/20000 changes from before \S+Z are deleted\./);
    expect(await left()).to.equal(0);
  });

  it('an age that is none, or too short: exit code 2', async () => {
    for (const age of ['23h', '1', '0d', '-1d', 'never', '36526d', '400 d']) {
      const { code, errors } = await prune(`--older-than=${age}`, '--yes');
      expect(code, age).to.equal(2);
      expect(errors).to.match(/An age such as 400d or 48h, from 1d to 36525d, is expected\./);
    }
  });

  const all = ['history', 'prune', '--older-than', '400d', '--yes'];

  /** Whoever prunes waits in the second step, so that there is a middle to end in. */
  async function secondStepHeld() {
    const { rows } = await service.database.admin.query(
      'select id from campaign_mirror.mirror_history order by campaign_id, id offset $1 limit 1',
      [stepSize + 1],
    );
    const holder = await rival(service.database);
    await holder.run('select from campaign_mirror.mirror_history where id = $1 for update', rows[0].id);
    return holder;
  }

  it('Ctrl-C between two steps: what was done is whole, and the second run does the rest', async () => {
    const steps = 5;
    await old(steps * stepSize);
    const holder = await secondStepHeld();
    const run = startCommand(all, settings());
    await untilWaiting(service.database, run.ended);
    run.interrupt();
    await holder.rollback();
    expect((await run.ended).code).to.equal(130);

    const done = Number(
      /^Stopped: (\d+) changes are deleted\. Repeat it to go on\.\n$/.exec(run.errors)?.[1],
    );
    expect(run.output).to.equal('');
    expect(done % stepSize).to.equal(0);
    expect(done).to.be.within(2 * stepSize, (steps - 1) * stepSize);
    expect(await left()).to.equal(steps * stepSize - done);
    const again = await prune('--older-than', '400d', '--yes', '--json');
    expect(JSON.parse(again.output).pruned).to.equal(steps * stepSize - done);
    expect(await left()).to.equal(0);
  });

  it('a database that goes away in the middle: how many are deleted, and the second run does the rest', async () => {
    await old(2 * stepSize);
    const holder = await secondStepHeld();
    const run = startCommand(all, settings());
    await untilWaiting(service.database, run.ended);
    await service.database.admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect((await run.ended).code).to.equal(3);
    await holder.rollback();
    expect(run.errors).to.equal(
      'the database became unavailable: 10000 changes are deleted, and perhaps some more; run it again to go on\n',
    );
    expect(await left()).to.equal(stepSize);
    expect(JSON.parse((await prune('--older-than', '400d', '--yes', '--json')).output).pruned).to.equal(
      stepSize,
    );
  });

  it('a database that does not answer any more is not waited for without end', async () => {
    await old(2 * stepSize);
    const holder = await secondStepHeld();
    const run = startCommandProcess(all, { ...settings(), NODE_OPTIONS: `--import=${hurried}` });
    expect((await run.ended).code).to.equal(3);
    await holder.rollback();
    expect(run.errors).to.match(/^the database became unavailable: 10000 changes are deleted, and perhaps/);
  });

  it('a live service answers 200 all the while, and each of its changes is kept', async () => {
    await old(5 * stepSize);
    const { base } = await listeningService({
      DATABASE_URL: service.database.url('service'),
      RUN_MIGRATIONS: 'false',
    });
    const callers = load([{ base, campaign: live.seen.id, key: live.key }], 4);
    await callers.first;
    expect((await prune('--older-than', '400d', '--yes')).code).to.equal(0);
    const answers = await callers.stop();
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const kept = (await service.world.others.history(live.seen.id)).map((row) => row.requestId);
    expect(kept).to.have.members(answers.map(({ requestId }) => requestId));
  });

  it('a step and an update of the same campaign do not wait for each other', async () => {
    await old(10);
    const pruner = await connect(service.database.address('operator'));
    const setter = await connect(service.database.address('service'));
    for (const client of [pruner, setter]) await client.query("begin; set local lock_timeout = '1ms'");
    const { seen, keyId } = live;
    const set = (id: CampaignId) => [
      id,
      seen.ownerId,
      false,
      afterwards,
      keyId,
      'waits for nobody',
      'key',
      null,
    ];
    const step =
      "select * from campaign_mirror.prune_history(now() - interval '400 days', 0, 0, 1000, 'x', 'y')";

    expect((await pruner.query(step)).rows[0]).to.include({ pruned: '10' });
    expect((await setter.query(setMirrorText, set(seen.id))).rowCount, 'while the step is open').to.equal(1);
    await pruner.query('commit');
    await pruner.query("begin; set local lock_timeout = '1ms'");
    expect((await pruner.query(step)).rows[0], 'while the update is open').to.include({ pruned: '0' });
    await setter.query('commit');
    await pruner.query('commit');
    await Promise.all([pruner.end(), setter.end()]);
    expect(await mirrorSet(service.world, seen, change(live.by))).not.to.equal(undefined);
  });
});
