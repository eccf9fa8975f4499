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
      numbers: () => numbersOf(objectsOf(running.output)),
    };
  }

  it('each change as the history has it, in JSON and for people; a signal ends it with 0', async () => {
    const one = await service.campaign();
    const json = await following('--json');
    const table = await following();
    await service.set(one, step(1), 'request-1');
    await json.lines(2);
    const [known] = await on().objects(`mirror history ${one.seen.id}`);
    const [{ position }, change] = json.objects();
    expect(change).to.deep.equal({ ...known, position: change.position });
    expect([position, change.position]).to.satisfy((all: string[]) =>
      all.every((text) => text.includes('/primary/')),
    );
    await table.lines(2);
    await service.set(one, step(22), 'request-2');
    const [head, ...rows] = (await table.lines(3)).map((line) => line.trim().split(/ {2,}/).join());
    expect(head).to.equal(
      'id,changed_at,campaign_id,subject,owner_id,address_before,address_after,request_id,position',
    );
    const [, first] = await service.world.others.history(one.seen.id);
    const { id, keyId, ownerId, at } = { ...one.seen, ...one, at: first?.changedAt };
    const second = [first?.id, at, id, `key:${keyId}`, ownerId, step(1), step(22), 'request-2'];
    expect(rows[1]).to.satisfy(
      (row: string) => row.startsWith(`${second.join()},`) && row.includes('/primary/'),
    );
    await json.lines(3);
    for (const [{ running }, signal] of [
      [json, 'SIGINT'],
      [table, 'SIGTERM'],
    ] as const) {
      expect(await running.stop(signal)).to.deep.equal({ code: 0, signal: null });
      expect(running.errors).to.equal(hint);
    }
    expect(json.objects()).to.have.length(3);
  });

  it('--owner at the moment of the change, and of a campaign, which may not exist', async () => {
    const one = await service.campaign();
    const [{ id, ownerId }, other] = [one.seen, newOwner()];
    const ofOwner = await following(`--json --owner ${ownerId}`);
    const ofCampaign = await following(`--json ${id}`);
    const of = await following(`--json 999999`);
    await service.set(one, step(1));
    await service.world.others.transfer(id, other);
    await recordChange(admin(), { campaign: id, owner: other });
    await recordChange(admin(), { campaign: 999_998, owner: ownerId });
    const last = await recordChange(admin(), { campaign: 999_999, owner: other });
    await of.lines(2);
    await ofOwner.lines(3);
    await ofCampaign.lines(3);
    const seen = (objects: { campaign_id: CampaignId; owner_id: number }[]) =>
      objects.slice(1).map(({ campaign_id, owner_id }) => [campaign_id, owner_id]);
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

  it('--from: what came after a line, whoever writes meanwhile, and whenever it ended: no gap, and nothing but the last poll again', async () => {
    const open = await owner();
    await open.query('begin');
    const long = await recordChange(open);
    const first = await following('--json');
    const writing = keepWriting(owner);
    await first.running.says(() => first.numbers().length > 100 || undefined);
    await first.running.stop();
    const printed = objectsOf(first.running.output.slice(0, first.running.output.lastIndexOf('\n')));
    await eventually('more changes', () => expect(writing.committed.length).to.be.greaterThan(300));
    await open.query('commit');
    await open.end();
    const committed = await writing.end();
    for (const at of [1, 50, printed.length - 1]) {
      const again = await following(`--json --from ${printed[at].position}`);
      const last = await recordChange(admin());
      await again.running.says(() => again.numbers().includes(last) || undefined);
      expect(await again.running.stop()).to.include({ code: 0 });
      const had = numbersOf(printed.slice(0, at + 1));
      const all = new Set([...had, ...again.numbers()]);
      expect([...all]).to.include.members([long, ...committed, last]);
      expect(again.numbers()).to.deep.equal(again.numbers().toSorted((one, other) => one - other));
    }
  });

  it('a position of another server ends it with exit code 4', async () => {
    for (const position of ['1764408976,0/primary/5:5:', 'x']) {
      const ended = await on().run(`mirror follow --json --from=${position}`);
      expect(ended.output).to.equal('');
      expect(ended.code, ended.errors).to.equal(4);
      expect(ended.errors).to.match(
        /this is no position of this server since its last start, or since its statistics were reset: start without --from, and read anew/,
      );
    }
  });
});

const numbersOf = (objects: { id?: number }[]) => objects.flatMap(({ id }) => id ?? []);
