import type { CampaignId, HistoryEntry, Subject, Timestamp } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { groupedOf } from '../support/process/lives.ts';
import { before as first, type Live, newCampaign } from '../support/store/world.ts';

const step = (number: number) => `https://step-${number}.example/?a={click_id}`;

describe('mirror history and mirror restore', () => {
  const service = groupedOf('suite');
  const on = () => commandsOn(service.database);
  const shown = (line: string | number) => on().objects(`mirror history ${line}`);
  const rows = (id: CampaignId) => service.world.others.history(id);
  /** A campaign whose mirror is set so often, one after the other. */
  async function changed(times: number): Promise<Live & { id: CampaignId }> {
    const one = await service.campaign();
    for (let number = 1; number <= times; number++) await service.set(one, step(number), `request-${number}`);
    return { ...one, id: one.seen.id };
  }

  it('of a campaign: each change, newest first, as it was recorded; 20 on a page, and a hint to the next', async () => {
    const one = await changed(20);
    const [between] = await rows((await changed(1)).id);
    for (const number of [21, 22, 23]) await service.set(one, step(number), `request-${number}`);
    const { id, keyId, by } = one;
    const all = (await rows(id)).toReversed();
    expect(await shown(`${id} --limit 23`)).to.deep.equal(all.map(objectOf));
    const { output } = await on().run(`mirror history ${id} --limit 1`);
    const [head, newest] = output.split('\n').map((row) => row.trim().split(/ {2,}/));
    expect(head?.join()).to.equal('id,changed_at,subject,owner_id,address_before,address_after,request_id');
    expect(newest).to.deep.equal(
      [all[0]?.id, all[0]?.changedAt, `key:${keyId}`, by.ownerId, step(22), step(23), 'request-23'].map(
        String,
      ),
    );

    const numbers = all.map((row) => row.id);
    const since = await shown(`--key ${keyId} --since 2000-01-01 --limit 30`);
    expect(
      since.map((change) => change.id),
      'the first of all, too',
    ).to.deep.equal(numbers);
    const pages: [options: string, from: number, to: number, isLast?: true][] = [
      ['', 0, 20],
      [`--before ${between?.id}`, 3, 23, true],
      [`--before ${numbers[19]}`, 20, 23, true],
      [`--limit 2 --before ${numbers[20]}`, 21, 23, true],
    ];
    for (const [options, from, to, isLast] of pages) {
      const { output, errors } = await on().run(`mirror history ${id} --json ${options}`);
      expect(objectsOf(output).map((one) => one.id)).to.deep.equal(numbers.slice(from, to));
      expect(errors).to.equal(isLast ? '' : `There is more: add --before ${numbers[to - 1]} to see it.\n`);
    }
  });

  it('of a deleted campaign, too; without changes it says so; what never was is told from it', async () => {
    const { id: gone, keyId: key } = await changed(1);
    const another = await changed(1);
    await service.world.settings.deleteCampaign(gone);
    // Of a campaign that got its number, too.
    const anew = `insert into campaign_mirror.campaigns (id, owner_id) values (${gone}, 1)`;
    await service.database.admin.query(`${anew};
      insert into campaign_mirror.mirrors (campaign_id, target_url) values (${gone}, '${step(7)}');
      delete from campaign_mirror.campaigns where id = ${gone}; ${anew}`);
    await service.world.settings.deleteCampaign(another.id);
    const both = (await rows(gone)).map(objectOf).toReversed();
    expect(both.map(({ address_after }) => address_after)).to.deep.equal([step(7), step(1)]);
    expect(await shown(gone)).to.deep.equal(both);
    const { id } = await newCampaign(service.world);
    const { id: unchanged } = await changed(0);
    await on().session(`
      $ mirror history ${id}
      ! Campaign ${id} has no mirror, and its history is empty.
      [0]
      $ mirror history ${unchanged}
      ! The mirror of campaign ${unchanged} never changed.
      [0]
      $ mirror history ${gone} --since 2096-11-20 --before 1000
      ! The history has no change of campaign ${gone} at or after 2096-11-20T00:00:00.000000Z before change 1000.
      [0]
      $ mirror history 999999
      ! there is no campaign 999999: \`./campaign-mirror campaign list\` shows those that exist
      $ mirror history --key ${key} --since 2096-11-20
      ! The history has no change made with key ${key} at or after 2096-11-20T00:00:00.000000Z.
      [0]
      $ mirror history --key 999999
      ! there is no key 999999: \`./campaign-mirror key list\` shows all keys with their numbers
      $ mirror history --move 999999
      ! there is no move 999999: \`./campaign-mirror mirror moves\` shows the numbers of moves
      $ mirror restore ${id} --to 1
      ! the campaign ${id} has no mirror: \`./campaign-mirror mirror create ${id} --target-url URL\` creates it`);
  });

  it('of a key: also of campaigns that were transferred or deleted, newest first; --since and --limit', async () => {
    const { id, keyId: key, by, seen } = await changed(3);
    const all = (await rows(id)).map(objectOf).toReversed();
    // Of a caller whose name is the number of the key.
    const token = { ownerId: by.ownerId, subject: `jwt:${key}` as Subject };
    await service.setMirror({ seen, by: token }, step(4));
    await service.world.others.transfer(id, (await newCampaign(service.world)).ownerId);
    await service.world.settings.deleteCampaign(id);
    expect((await shown(id))[0]).to.include({ subject: `jwt:${key}` });
    expect(await shown(`--key ${key}`)).to.deep.equal(all);
    expect(await shown(`--key ${key} --since ${all[1]?.changed_at}`)).to.deep.equal(all.slice(0, 2));
    expect(await shown(`--key ${key} --limit 2`)).to.deep.equal(all.slice(0, 2));
  });

  it('of a move: the change of each mirror that it moved, newest first, and no others', async () => {
    const campaigns = [await changed(9), await changed(9)];
    await changed(8);
    await on().run('mirror move --from-host step-9.example --to-host moved.example --yes');
    const [{ id: move }] = await on().objects('audit --act mirrors-moved --limit 1');
    const [one, two] = campaigns.map(({ id }) => id) as [CampaignId, CampaignId];
    await on().run(`mirror set ${one} https://later.example/ --as-operator`);
    const last = async (id: CampaignId, at: number) => objectOf((await rows(id)).at(at) as HistoryEntry);
    const expected = [await last(two, -1), await last(one, -2)];
    expect(await shown(`--move ${move}`)).to.deep.equal(expected);
    expect(await shown(`--move ${move} --limit 1`)).to.deep.equal(expected.slice(0, 1));
    const times = (await shown(one)).map(({ changed_at }) => changed_at);
    expect((await shown(`${one} --since ${times[1]}`)).map(({ changed_at }) => changed_at)).to.deep.equal(
      times.slice(0, 2),
    );
  });

  describe('restore', () => {
    const audited = (id: CampaignId) => service.world.audit.list({ campaign: id, limit: 1 });

    it('--to: the address after that change; --undo: the one that it replaced, also the first of all', async () => {
      const { id, seen } = await changed(3);
      await service.world.others.countClick(id);
      const [oldest, middle] = (await rows(id)) as [HistoryEntry, HistoryEntry];
      await on().session(`
        $ mirror restore ${id} --to ${middle.id}
        The mirror of campaign ${id} points to ${step(2)} again.`);
      await service.world.others.setUpdatedAt(id, '2199-01-01T00:00:00.000001Z' as Timestamp);
      const undo = `mirror restore ${id} --undo ${oldest.id}`;
      const [, , newest, back] = (await rows(id)) as [unknown, unknown, HistoryEntry, HistoryEntry];
      await on().session(`
        $ ${undo}
        ! The mirror of campaign ${id} was changed after change ${oldest.id}: ${back.id} (to ${step(2)}), ${newest.id} (to ${step(3)}), ${middle.id} (to ${step(2)}). Discard these changes? There is no terminal to ask on: add --yes to confirm.
        [2]
        $ mirror restore ${id} --to 999999
        ! the history of the campaign ${id} has no such change: \`./campaign-mirror mirror history ${id}\` shows the numbers of the changes
        $ MIRROR_HOST_DENYLIST=step-1.example mirror restore ${id} --to ${oldest.id}
        ! the address of change ${oldest.id} is refused: it must not point to this host, which the host denylist contains`);
      const { mirror: undone } = await on().object(`${undo} --yes`);
      const time = '2199-01-01T00:00:00.000002Z';
      expect(undone).to.include({ target_url: first, clicks: 1, updated_externally: true });
      expect(undone).to.include({ updated_at: time, updated_externally_at: time });
      expect((await on().object(`campaign show ${id}`)).mirror).to.deep.equal(undone);

      const [, , , toSecond, toFirst] = await rows(id);
      const by = { subject: 'operator', ownerId: seen.ownerId };
      expect(toSecond).to.include({ ...by, addressBefore: step(3), addressAfter: step(2) });
      expect(toFirst).to.include({ ...by, addressBefore: step(2), addressAfter: first, changedAt: time });
      const [noted] = await audited(id);
      expect(noted).to.include({ act: 'mirror-restored', ownerId: seen.ownerId });
      expect(noted?.requestId).to.equal(toFirst?.requestId);
      const details = { change: oldest.id, address_before: step(2), address_after: first };
      expect(noted?.details).to.deep.equal(details);

      await service.world.others.setDefault(id, true);
      await on().session(`
        $ mirror restore ${id} --to ${middle.id}
        ! the campaign ${id} is its owner's default campaign, whose mirror cannot be set: \`./campaign-mirror campaign unset-default ${id}\` makes it an ordinary one`);
      expect(await rows(id)).to.have.length(5);
      expect((await audited(id))[0], 'nothing after it').to.include({ act: 'default-set' });
    });

    const restoring = async (id: CampaignId, change = 0, question = '') => {
      const terminal = on().asking('mirror', 'restore', `${id}`, '--undo', `${change}`);
      await terminal.shows(question);
      return terminal;
    };

    it('--undo: a change that was made while its question waits is not discarded', async () => {
      const one = await changed(2);
      const [oldest] = await rows(one.id);
      for (const meanwhile of [step(3), step(2)]) {
        const terminal = await restoring(one.id, oldest?.id, 'Discard these changes?');
        await service.set(one, meanwhile);
        const before = await rows(one.id);
        terminal.type('y\r');
        expect((await terminal.ended).code, terminal.screen).to.equal(1);
        expect(terminal.screen).to.include(
          `the mirror of the campaign ${one.id} was changed meanwhile, so nothing was done: look at \`./campaign-mirror mirror history ${one.id}\`, then repeat it`,
        );
        expect(await rows(one.id)).to.deep.equal(before);
      }
    });
  });
});

function objectOf(row: HistoryEntry) {
  const named = (name: string) => name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [named(name), value]));
}
