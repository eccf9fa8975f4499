import type { CampaignId, HistoryEntry, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { groupedOf } from '../support/process/lives.ts';
import { before as first, type Live, newCampaign } from '../support/store/world.ts';

const step = (number: number) => `https://step-${number}.example/?a={click_id}`;

describe('mirror history and mirror restore: every change is shown, and an earlier address can be restored', () => {
  const service = groupedOf('suite');
  const on = () => commandsOn(service.database);
  const shown = (line: string | number) => on().objects(`mirror history ${line}`);
  const rows = (id: CampaignId) => service.world.others.history(id);
  /** A campaign whose mirror was set so many times. */
  async function changed(times: number): Promise<Live & { id: CampaignId }> {
    const one = await service.campaign();
    for (let number = 1; number <= times; number++) await service.set(one, step(number), `request-${number}`);
    return { ...one, id: one.seen.id };
  }

  it('shows the changes of a campaign, newest first, 20 on a page', async () => {
    const { id, keyId, by } = await changed(23);
    const all = (await rows(id)).toReversed();
    expect(await shown(`${id} --limit 23`)).to.deep.equal(all.map(objectOf));
    const { output } = await on().run(`mirror history ${id} --limit 1`);
    expect(output).to.match(
      new RegExp(`^ *${all[0]?.id} +\\S+Z +key:${keyId} +${by.ownerId} .* request-23$`, 'm'),
    );
    const numbers = all.map((row) => row.id);
    const pages: [options: string, from: number, to: number, isLast?: true][] = [
      ['', 0, 20],
      [`--before ${numbers[19]}`, 20, 23, true],
      [`--limit 2 --before ${numbers[20]}`, 21, 23, true],
    ];
    for (const [options, from, to, isLast] of pages) {
      const { output, errors } = await on().run(`mirror history ${id} --json ${options}`);
      expect(objectsOf(output).map((one) => one.id)).to.deep.equal(numbers.slice(from, to));
      expect(errors).to.equal(isLast ? '' : `There is more: add --before ${numbers[to - 1]} to see it.\n`);
    }
  });

  it('shows the changes of a deleted campaign, and tells an empty history from an unknown number', async () => {
    const { id: gone } = await changed(1);
    await service.world.settings.deleteCampaign(gone);
    const again = `insert into campaign_mirror.campaigns (id, owner_id) values (${gone}, 1)`;
    await service.database.admin.query(`${again};
      insert into campaign_mirror.mirrors (campaign_id, target_url) values (${gone}, '${step(7)}');
      delete from campaign_mirror.campaigns where id = ${gone}; ${again}`);
    const both = await shown(gone);
    expect(both).to.deep.equal((await rows(gone)).map(objectOf).toReversed());
    expect(both.map(({ address_after }) => address_after)).to.deep.equal([step(7), step(1)]);
    const { id } = await newCampaign(service.world);
    const { id: unchanged } = await changed(0);
    await on().session(`
      $ mirror history ${id}
      ! No change was found.
      [0]
      $ mirror history ${unchanged}
      ! No change was found.
      [0]
      $ mirror history 999999
      ! there is no campaign 999999: \`./campaign-mirror campaign list\` shows those that exist
      $ mirror history --key 999999
      ! there is no key 999999: \`./campaign-mirror key list\` shows all keys with their numbers`);
  });

  it('restore --to sets the address after a change, --undo the address before it', async () => {
    const { id, seen } = await changed(3);
    await service.world.others.countClick(id);
    const [oldest, middle] = (await rows(id)) as [HistoryEntry, HistoryEntry];
    await on().session(`
      $ mirror restore ${id} --to ${middle.id}
      The mirror of campaign ${id} points to ${step(2)} again.`);
    await service.world.others.setUpdatedAt(id, '2199-01-01T00:00:00.000001Z' as Timestamp);
    const undo = `mirror restore ${id} --undo ${oldest.id}`;
    const back = (await rows(id)).at(-1);
    await on().session(`
      $ ${undo}
      ! The mirror of campaign ${id} was changed after change ${oldest.id}, last by change ${back?.id} (to ${step(2)})…
      [2]
      $ mirror restore ${id} --to 999999
      ! the history of campaign ${id} has no such change: \`./campaign-mirror mirror history ${id}\` shows…
      $ MIRROR_HOST_DENYLIST=step-1.example mirror restore ${id} --to ${oldest.id}
      ! the address of change ${oldest.id} is refused: it must not point to this host, which the host denylist…`);
    const { mirror } = await on().object(`${undo} --yes`);
    const time = '2199-01-01T00:00:00.000002Z';
    expect(mirror).to.include({
      target_url: first,
      clicks: 1,
      updated_at: time,
      updated_externally_at: time,
    });

    const [, , , toSecond, toFirst] = await rows(id);
    const by = { subject: 'operator', ownerId: seen.ownerId };
    expect(toSecond).to.include({ ...by, addressBefore: step(3), addressAfter: step(2) });
    expect(toFirst).to.include({ ...by, addressBefore: step(2), addressAfter: first, changedAt: time });
    const [entry] = await service.world.audit.list({ campaign: id, limit: 1 });
    expect(entry).to.deep.include({
      ...{ act: 'mirror-restored', ownerId: seen.ownerId, requestId: toFirst?.requestId },
      details: { change: oldest.id, address_before: step(2), address_after: first },
    });
    await service.world.others.setDefault(id, true);
    await on().session(`
      $ mirror restore ${id} --to ${middle.id}
      ! campaign ${id} is its owner's default campaign:…`);
    expect(await rows(id)).to.have.length(5);
  });

  it('restore --undo keeps a change that was made while it asked', async () => {
    const one = await changed(2);
    const [oldest] = await rows(one.id);
    const terminal = on().asking('mirror', 'restore', `${one.id}`, '--undo', `${oldest?.id}`);
    await terminal.shows('Discard these changes?');
    await service.set(one, step(2));
    const before = await rows(one.id);
    terminal.type('y\r');
    expect((await terminal.ended).code, terminal.screen).to.equal(1);
    expect(terminal.screen).to.include(`the mirror of campaign ${one.id} was changed meanwhile`);
    expect(await rows(one.id)).to.deep.equal(before);
  });
});

function objectOf(row: HistoryEntry | undefined) {
  const named = (name: string) => name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [named(name), value]));
}
