import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { startCommand } from '../support/commands/command.ts';
import { commandsOn, objectsOf, wordsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { keepWriting, recordChange } from '../support/database/recorded-changes.ts';
import { groupedOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';
import { newOwner } from '../support/store/world.ts';

const step = (number: number) => `https://step-${number}.example/?a={click_id}`;
const hint = 'Following. Ctrl-C ends it.\n';

describe('mirror follow', () => {
  const service = groupedOf('suite');
  const on = () => commandsOn(service.database);
  const admin = () => service.database.admin;
  const owner = () => connect(service.database.address('owner'));

  /** Follows when it resolves. */
  async function following(words = '') {
    const running = startCommand(['mirror', 'follow', ...wordsOf(words)], on().settings);
    await running.says(() => running.errors.includes(hint) || undefined);
    return {
      running,
      lines: (count: number) =>
        running.says(() => {
          const whole = running.output.split('\n').slice(0, -1);
          return whole.length >= count ? whole : undefined;
        }),
      objects: () => objectsOf(running.output),
      numbers: () => objectsOf(running.output).map(({ id }) => id),
    };
  }

  it('each change as the history has it, in JSON and for people; a signal ends it with 0', async () => {
    const one = await service.campaign();
    const json = await following('--json');
    const table = await following();
    await service.set(one, step(1), 'request-1');
    await json.lines(1);
    expect(json.objects()).to.deep.equal(await on().objects(`mirror history ${one.seen.id}`));
    await table.lines(2);
    await service.set(one, step(22), 'request-2');
    const [head, ...rows] = (await table.lines(3)).map((line) => line.trim().split(/ {2,}/).join());
    expect(head).to.equal('change,when,campaign,by,owner,from,to,request');
    const [, first] = await service.world.others.history(one.seen.id);
    const { id, keyId, ownerId, at } = { ...one.seen, ...one, at: first?.changedAt };
    const second = [first?.id, at, id, `key:${keyId}`, ownerId, step(1), step(22), 'request-2'];
    expect(rows[1]).to.equal(second.join());
    await json.lines(2);
    for (const [{ running }, signal] of [
      [json, 'SIGINT'],
      [table, 'SIGTERM'],
    ] as const) {
      expect(await running.stop(signal)).to.deep.equal({ code: 0, signal: null });
      expect(running.errors).to.equal(hint);
    }
    expect(json.objects()).to.have.length(2);
  });

  it('--owner at the moment of the change, and --campaign, which may not exist', async () => {
    const one = await service.campaign();
    const [{ id, ownerId }, other] = [one.seen, newOwner()];
    const ofOwner = await following(`--json --owner ${ownerId}`);
    const ofCampaign = await following(`--json --campaign ${id}`);
    const of = await following(`--json --campaign 999999 --since 2020-01-01`);
    await service.set(one, step(1));
    await service.world.others.transfer(id, other);
    await recordChange(admin(), { campaign: id, owner: other });
    await recordChange(admin(), { campaign: 999_998, owner: ownerId });
    const last = await recordChange(admin(), { campaign: 999_999, owner: other });
    await of.lines(1);
    await ofOwner.lines(2);
    await ofCampaign.lines(2);
    const seen = (objects: { campaign_id: CampaignId; owner_id: number }[]) =>
      objects.map(({ campaign_id, owner_id }) => [campaign_id, owner_id]);
    expect(of.numbers()).to.deep.equal([last]);
    expect(seen(ofOwner.objects())).to.deep.equal([
      [id, ownerId],
      [999_998, ownerId],
    ]);
    expect(seen(ofCampaign.objects())).to.deep.equal([
      [id, ownerId],
      [id, other],
    ]);
    for (const { running } of [of, ofOwner, ofCampaign]) expect(await running.stop()).to.include({ code: 0 });
  });

  it('--since: first what is older, by its numbers, then the rest; no gap and nothing twice, whoever writes meanwhile', async () => {
    const old = await recordChange(admin(), { at: '2026-01-01T00:00:00Z' });
    const { rows } = await admin().query('select now() as now');
    const since = rows[0].now.toISOString();
    const future = await recordChange(admin(), { at: '2199-01-01T00:00:00Z' });
    const open = await owner();
    await open.query('begin');
    const long = await recordChange(open);
    const writing = keepWriting(owner);
    await eventually('many changes', () => expect(writing.committed.length).to.be.greaterThan(200));
    const before = new Set([future, ...writing.committed]);
    const all = await following(`--json --since ${since}`);
    const later = await following('--json');
    const next = await recordChange(admin());
    await all.lines(500);
    await open.query('commit');
    await open.end();
    const committed = await writing.end();
    const last = await recordChange(admin());
    for (const { running, numbers } of [all, later]) {
      await running.says(() => numbers().includes(last) || undefined);
      expect(await running.stop()).to.include({ code: 0 });
    }
    const inOrder = (numbers: number[]) => numbers.toSorted((one, other) => one - other);
    const expected = inOrder([future, long, ...committed, next, last]);
    expect(inOrder(all.numbers())).to.deep.equal(expected);
    const older = all.numbers().filter((number) => before.has(number));
    expect(older).to.deep.equal(inOrder([...before]));
    expect(all.numbers()).not.to.include(old);
    expect(new Set(later.numbers())).to.have.property('size', later.numbers().length);
    expect(later.numbers()).to.include.members([long, ...expected.filter((number) => number >= next)]);
  });
});
