import type { CampaignId, HistoryEntry } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { terminal } from '../support/process/terminal.ts';
import { before as first, type Live, newCampaign } from '../support/store/world.ts';

const step = (number: number) => `https://step-${number}.example/?a={click_id}`;

describe('commands — mirror history and mirror restore', () => {
  const service = liveServiceOf('suite');
  let live: Live;
  before(async () => {
    live = await service.campaign();
  });

  const run = (...args: string[]) => command(args, { DATABASE_URL: service.database.url('operator') });
  const rows = (id: CampaignId = live.seen.id) => service.world.others.history(id);
  const lines = (output: string) => output.trimEnd().split('\n');

  /** Sets the mirror so often, one after the other. */
  async function change(times: number, one = live): Promise<void> {
    for (let number = 1; number <= times; number++) await service.set(one, step(number), `request-${number}`);
  }

  describe('history', () => {
    it('in JSON: each change on a line of its own, newest first, as it was recorded', async () => {
      await change(3);
      const { code, output, errors } = await run('mirror', 'history', String(live.seen.id), '--json');
      expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
      const shown = lines(output).map((line) => JSON.parse(line));
      expect(shown).to.deep.equal((await rows()).toReversed().map(objectOf));
      expect(shown[0]).to.include({ actor: 'key', address_after: step(3), request_id: 'request-3' });
    });

    it('for people: a table', async () => {
      const { output } = await run('mirror', 'history', String(live.seen.id));
      const [head = '', newest = '', ...more] = lines(output);
      expect(head.split(/ {2,}/)).to.deep.equal('change,when,by,owner,from,to,request'.split(','));
      const last = (await rows()).at(-1);
      expect(newest.trim().split(/ {2,}/)).to.deep.equal(
        [last?.id, last?.changedAt, `key:${live.keyId}`, live.by.ownerId, step(2), step(3), 'request-3'].map(
          String,
        ),
      );
      expect(more).to.have.length(2);
    });

    it('20 on a page, or --limit, and the hint on standard error leads to the next page', async () => {
      const one = await service.campaign();
      await change(23, one);
      const id = String(one.seen.id);
      const numbers = (await rows(one.seen.id)).map((row) => row.id).toReversed();
      const shown: number[] = [];
      let hint: string[] = [];
      for (const size of [20, 3]) {
        const { output, errors } = await run('mirror', 'history', id, ...hint, '--json');
        expect(lines(output)).to.have.length(size);
        shown.push(...lines(output).map((line) => JSON.parse(line).id));
        hint = /^There is more: add (--before) (\d+) to see it\.\n$/.exec(errors)?.slice(1) ?? [];
      }
      expect(hint, 'the last page has no next one').to.deep.equal([]);
      expect(shown).to.deep.equal(numbers);
      const two = await run(
        'mirror',
        'history',
        id,
        '--limit',
        '2',
        '--before',
        String(numbers[20]),
        '--json',
      );
      expect(lines(two.output).map((line) => JSON.parse(line).id)).to.deep.equal(numbers.slice(21));
      expect(two.errors, 'all of them fit on the page').to.equal('');
    });

    it('of a deleted campaign too; of one without changes it says so; of one that never was: exit code 1', async () => {
      const gone = await service.campaign();
      await change(1, gone);
      await service.world.others.deleteCampaign(gone.seen.id);
      const { code, output } = await run('mirror', 'history', String(gone.seen.id), '--json');
      expect({ code, ids: lines(output).map((line) => JSON.parse(line).id) }).to.deep.equal({
        code: 0,
        ids: (await rows(gone.seen.id)).map((row) => row.id),
      });

      const { id } = await newCampaign(service.world);
      expect(await run('mirror', 'history', String(id))).to.deep.equal(
        answered('', `There is no change of the mirror of campaign ${id}.\n`),
      );
      expect(await run('mirror', 'history', '999999')).to.deep.equal(
        refused('there is no campaign 999999\n'),
      );
    });
  });

  describe('history --key', () => {
    const ofKey = async (key: number, ...args: string[]) => {
      const { code, output, errors } = await run(
        'mirror',
        'history',
        '--key',
        String(key),
        ...args,
        '--json',
      );
      expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
      return lines(output).map((line) => JSON.parse(line));
    };

    it('what was done with a key, also to campaigns that were transferred or deleted; --since and --limit', async () => {
      const one = await service.campaign();
      await change(3, one);
      const all = (await rows(one.seen.id)).map(objectOf);
      await service.world.others.transfer(one.seen.id, live.seen.ownerId);
      const { keyId: key } = one;
      expect(await ofKey(key)).to.deep.equal(all);
      await service.world.others.deleteMirror(one.seen.id);
      await service.world.others.deleteCampaign(one.seen.id);
      expect(await ofKey(key)).to.deep.equal(all);
      expect(await ofKey(key, '--since', String(all[1]?.changed_at))).to.deep.equal(all.slice(1));
      expect(await ofKey(key, '--limit', '2')).to.deep.equal(all.slice(0, 2));
      const { output } = await run('mirror', 'history', '--key', String(key), '--since', '2020-01-31T15:36Z');
      const [head = '', oldest = ''] = lines(output);
      expect(head.split(/ {2,}/)).to.deep.equal('change,when,campaign,by,owner,from,to,request'.split(','));
      expect(oldest).to.include(`  ${one.seen.id}  `).and.to.include(step(1));
    });

    it('the oldest is first wherever PostgreSQL put it, and whoever waits at a terminal sees how far it is', async () => {
      const { keyId: key, seen } = await service.campaign();
      const many = 3_000;
      await service.database.admin.query(
        `insert into campaign_mirror.mirror_history
          (id, campaign_id, mirror_id, actor, access_key_id, owner_id, address_before, address_after, changed_at, request_id)
        overriding system value
        select 1000000 + n, $1, 1, 'key', $2, 1, 'https://a.example/', 'https://b.example/', now(), n
        from generate_series($3::int, 1, -1) n`,
        [seen.id, key, many],
      );
      const ids = (await ofKey(key)).map(({ id }) => id);
      expect(ids).to.deep.equal(Array.from({ length: many }, (_, n) => 1_000_001 + n));

      const words = ['mirror', 'history', '--key', String(key), '--limit', '1'];
      const settings = { DATABASE_URL: service.database.url('operator') };
      const shown = terminal(words, settings);
      expect((await shown.ended).code).to.equal(0);
      expect(shown.screen).to.match(/Reading the history .* 100 % \| 100 of 100 .*\n*change/);
      const inJson = terminal([...words, '--json'], settings);
      expect((await inJson.ended).code).to.equal(0);
      expect(JSON.parse(inJson.output), 'nothing but the change').to.include({ id: 1_000_001 });
    });

    it('a key that changed nothing is told from one that never was', async () => {
      const { keyId: key } = await service.campaign();
      expect(await run('mirror', 'history', '--key', String(key), '--since', '2026-11-20')).to.deep.equal(
        answered('', `No change was made with key ${key} since 2026-11-20T00:00:00.000000Z.\n`),
      );
      for (const json of [[], ['--json']]) {
        expect(await run('mirror', 'history', '--key', '999999', ...json)).to.deep.equal(
          refused('there is no key 999999\n'),
        );
      }
    });

    const misunderstood: [why: string, errors: RegExp, ...args: string[]][] = [
      ['neither a campaign nor a key', /^either a campaign or --key is needed\n$/],
      ['both of them', /^either a campaign or --key is needed\n$/, '42', '--key', '1'],
      ['a page of a key', /cannot be used with/, '--key', '1', '--before', '9'],
      ['a time for a campaign', /^--since is of use with --key only\n$/, '42', '--since', '2026-11-20'],
      ['a time that is none', /A time in UTC such as 2026-11-20/, '--key', '1', '--since', '2026-02-30'],
      ['a time elsewhere', /A time in UTC/, '--key', '1', '--since', '2026-11-20T15:36:00+01:00'],
    ];
    for (const [why, errors, ...args] of misunderstood) {
      it(`${why}: exit code 2`, async () => {
        const done = await run('mirror', 'history', ...args);
        expect(done).to.include({ code: 2, output: '' });
        expect(done.errors).to.match(errors);
      });
    }
  });

  describe('restore', () => {
    const restore = (id: CampaignId, ...args: string[]) => run('mirror', 'restore', String(id), ...args);

    it('--to: the address after that change; --undo: the one that it replaced, also the first of all', async () => {
      const one = await service.campaign();
      await change(3, one);
      const id = one.seen.id;
      const [oldest, middle] = (await rows(id)) as [HistoryEntry, HistoryEntry];

      expect(await restore(id, '--to', String(middle.id))).to.deep.equal(
        answered(`The mirror of campaign ${id} points to ${step(2)} again.\n`),
      );
      const undone = await restore(id, '--undo', String(oldest.id), '--json');
      expect(undone.code, undone.errors).to.equal(0);
      const mirror = await service.world.others.mirror(id);
      expect(JSON.parse(undone.output).mirror).to.include({
        target_url: first,
        updated_at: mirror?.updatedAt,
      });
      expect(mirror?.targetUrl).to.equal(first);

      const [, , , toSecond, toFirst] = await rows(id);
      expect(toSecond).to.include({
        subject: 'operator',
        addressBefore: step(3),
        addressAfter: step(2),
      });
      expect(toFirst).to.include({ subject: 'operator', addressBefore: step(2), addressAfter: first });
      const [noted] = await service.world.audit.list({ campaign: id, limit: 1 });
      expect(noted).to.deep.include({
        act: 'mirror-restored',
        ownerId: one.seen.ownerId,
        requestId: toFirst?.requestId,
        details: { change: oldest.id, address_before: step(2), address_after: first },
      });
      const table = await run('mirror', 'history', String(id), '--limit', '1');
      expect(table.output).to.match(/ operator {2}/);
    });

    it('what is refused: exit code 1 and one line', async () => {
      const one = await service.campaign();
      await change(1, one);
      const id = one.seen.id;
      const [only] = (await rows(id)) as [HistoryEntry];
      expect(await restore(999_999 as CampaignId, '--to', '1')).to.deep.equal(
        refused('there is no campaign 999999\n'),
      );
      expect(await restore(id, '--to', '999999')).to.deep.equal(
        refused(
          `the history of the campaign ${id} has no change 999999: \`./campaign-mirror mirror history ${id}\` shows the numbers\n`,
        ),
      );
      const denied = await command(['mirror', 'restore', String(id), '--to', String(only.id)], {
        DATABASE_URL: service.database.url('operator'),
        MIRROR_HOST_DENYLIST: 'step-1.example',
      });
      expect(denied).to.deep.equal(
        refused(`the address of change ${only.id} is refused: MIRROR_HOST_DENYLIST denies its host\n`),
      );
      await service.world.others.setDefault(id, true);
      const { code, errors } = await restore(id, '--to', String(only.id));
      expect(code).to.equal(1);
      expect(errors).to.match(/is its owner's default campaign, whose mirror cannot be set/);
      expect(await rows(id)).to.have.length(1);
    });

    const misunderstood: [why: string, errors: RegExp, ...args: string[]][] = [
      ['neither --to nor --undo', /^--to or --undo is missing: /],
      ['both of them', /^error: .*can ?not be used with/, '--to', '1', '--undo', '1'],
      ['a change that is no number', /^error: .*A whole number/, '--to', 'last'],
    ];
    for (const [why, errors, ...args] of misunderstood) {
      it(`${why}: exit code 2`, async () => {
        const done = await restore(live.seen.id, ...args);
        expect(done).to.include({ code: 2, output: '' });
        expect(done.errors).to.match(errors);
      });
    }
  });
});

/** The columns of `--json` that scripts read before there were other subjects. */
function by(subject: string) {
  const [actor, key] = subject.split(':');
  return { actor, access_key_id: actor === 'key' ? Number(key) : null };
}

function objectOf(row: HistoryEntry) {
  return {
    id: row.id,
    campaign_id: row.campaignId,
    mirror_id: row.mirrorId,
    changed_at: row.changedAt,
    ...by(row.subject),
    subject: row.subject,
    owner_id: row.ownerId,
    address_before: row.addressBefore,
    address_after: row.addressAfter,
    request_id: row.requestId,
  };
}
