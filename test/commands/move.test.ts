import { expect } from 'chai';
import { answered, command, startCommandProcess } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { endWaiting, rival } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

/** Campaign 1 and so on, each with a mirror that points there; of owner 1 unless it is said. */
interface Filling {
  readonly url: string;
  readonly owner?: number;
  readonly isDefault?: boolean;
}

/** So many on the host that moves. */
const onOldHost = (count: number): Filling[] =>
  Array.from({ length: count }, (_, at) => ({ url: `https://old.example/${at + 1}` }));

describe('mirror move', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);

  async function filled(...fillings: Filling[]): Promise<void> {
    await sql(
      `insert into campaign_mirror.campaigns (owner_id, is_default)
      select owner, is_default from unnest($1::bigint[], $2::boolean[]) with ordinality as f (owner, is_default, place)
      order by place`,
      fillings.map(({ owner = 1 }) => owner),
      fillings.map(({ isDefault = false }) => isDefault),
    );
    await sql(
      `insert into campaign_mirror.mirrors (campaign_id, target_url)
      select place, url from unnest($1::text[]) with ordinality as f (url, place)`,
      fillings.map(({ url }) => url),
    );
  }
  const words = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example', '--yes'];
  const move = (...more: string[]) => on.run(...words, ...more);
  const addresses = async () => (await on.objects('mirror list')).map(({ target_url }) => target_url);
  const history = async () => {
    const { rows } = await sql(
      `select campaign_id::int as campaign, owner_id::int as owner, address_before as before, address_after as after
      from campaign_mirror.mirror_history where actor = 'operator' order by campaign_id, id`,
    );
    return rows;
  };
  /** How many mirrors each entry of the audit tells of. */
  const audited = async () =>
    (await on.objects('audit')).map(({ act, details }) => act === 'mirrors-moved' && details.mirrors);
  /** What a move says at its end. */
  const said = (mirrors: string, number = 1) =>
    `${mirrors} moved from old.example to new.example. ` +
    `This is move ${number}: \`./campaign-mirror mirror move --undo ${number}\` undoes it.\n`;
  const lines = (output: string) => output.trimEnd().split('\n');

  it('moves every mirror on the host, notes it once each, and finds nothing to do a second time', async () => {
    const stays = 'https://x.old.example/?u=https://old.example/';
    const [odd, moved] = ['HTTP://OLD.Example.:8080/a?{id}', 'HTTP://new.example:8080/a?{id}'];
    const escaped = 'https://o%6cd.example#b';
    await filled({ url: odd }, { url: stays }, { url: escaped, owner: 2 });
    const row = { campaign: 1, owner: 1, before: odd, after: moved };
    const other = { campaign: 3, owner: 2, before: escaped, after: 'https://new.example#b' };
    for (const output of [said('2 mirrors were'), 'No mirror is on old.example.\n']) {
      expect(await move()).to.deep.equal(answered(output));
      expect(await addresses()).to.deep.equal([moved, stays, other.after]);
      expect(await history()).to.deep.equal([row, other]);
      expect(await audited()).to.deep.equal([2]);
    }
  });

  const typo = 'No mirror is on new.example yet: check its spelling.\n';

  it('--dry-run shows before and after, and changes nothing', async () => {
    await filled({ url: 'https://old.example/\u200f' }, { url: 'https://old.example/d', isDefault: true });
    const before = await addresses();
    const { code, output, errors } = await move('--dry-run');
    expect(lines(output)).to.deep.equal([
      'campaign 1: https://old.example/\\u{200f} → https://new.example/\\u{200f}',
      'campaign 2: https://old.example/d is not moved: it is that of a default campaign; --include-default moves it, too',
      '1 mirror would be moved from old.example to new.example; nothing was done.',
    ]);
    expect([code, errors]).to.deep.equal([...[1, `${typo}not every mirror would be moved: 1 refused\n`]]);
    const [first, second, sum] = objectsOf((await move('--dry-run', '--json')).output);
    expect(first).to.include({ campaign_id: 1, outcome: 'would-move', after: 'https://new.example/\u200f' });
    expect(second).to.include({ campaign_id: 2, outcome: 'refused' });
    expect(sum).to.include({ looked_at: 2, moved: 0, would_move: 1, refused: 1 });
    expect(await addresses()).to.deep.equal(before);
    expect([await history(), await audited()]).to.deep.equal([[], []]);
  });

  it('--json tells of each mirror and, last, of all; what is not moved makes the exit code 1', async () => {
    const long = `https://old.example/${'x'.repeat(2048 - 20)}`;
    const byDefault = 'https://old.example/d';
    await filled(...onOldHost(1), { url: byDefault, isDefault: true }, { url: long });
    const longer = 'mirror move --from-host OLD.example --to-host Longer.example --yes --json';
    const { code, output, errors } = await on.run(longer);
    const row = (campaign_id: number, outcome: string, before: string, because = {}) => {
      const after = before.replace('old', 'Longer');
      return { campaign_id, outcome, before, after, ...because };
    };
    expect(objectsOf(output)).to.deep.equal([
      row(2, 'refused', byDefault, { because: 'default-campaign' }),
      row(3, 'invalid', long, { because: 'too-long' }),
      row(1, 'moved', 'https://old.example/1'),
      {
        ...{ move: 1, looked_at: 3, moved: 1, would_move: 0, refused: 1, invalid: 1 },
        ...{ changed_meanwhile: 0, changed_since: 0, held: 0 },
      },
    ]);
    expect([code, errors]).to.deep.equal([1, 'not every mirror was moved: 1 refused, 1 invalid\n']);
    expect((await addresses()).slice(1)).to.deep.equal([byDefault, long]);
  });

  it('--owner, --subdomains, --include-default', async () => {
    await filled(
      { url: 'https://A.old.example/' },
      { url: 'https://old.example/', isDefault: true },
      { url: 'https://a.old.example/', owner: 2 },
      { url: 'https://bold.example/' },
    );
    const done = await move('--owner', '1', '--subdomains', '--include-default');
    expect(done, done.errors).to.include({ code: 0 });
    const [sub, host, ...others] = await addresses();
    expect([sub, host]).to.deep.equal(['https://A.new.example/', 'https://new.example/']);
    expect(others).to.deep.equal(['https://a.old.example/', 'https://bold.example/']);
    expect(await move('--owner', '3', '--subdomains')).to.deep.equal(
      answered('No mirror of the owner 3 is on old.example or a name below it.\n'),
    );
  });

  it('what cannot be moved is refused before any mirror is looked at', async () => {
    await filled(...onOldHost(1), { url: 'http://127.0.0.1/' });
    const refused: [hosts: string, code: number, errors: RegExp][] = [
      ['old.example OLD.Example', 1, /^OLD\.Example matches old\.example, .*--to-host\n$/],
      ['old.example x.old.example --subdomains', 1, /^x\.old\.example matches /],
      ['old.example go.example', 1, /^--to-host: MIRROR_HOST_DENYLIST denies go\.example\n$/],
      ['127.0.0.1 new.example --subdomains', 2, /leave out --subdomains\n$/],
      ['old.example:80 new.example', 2, /^error: .*--from-host.*A host such as old\.example/],
      ['old.example https://new.example', 2, /^error: .*--to-host.*A host such as/],
    ];
    for (const [hosts, code, errors] of refused) {
      const [from = '', to = '', ...more] = hosts.split(' ');
      const args = ['mirror', 'move', '--from-host', from, '--to-host', to, ...more];
      const done = await command(args, { ...on.settings, MIRROR_HOST_DENYLIST: 'go.example' });
      expect(done, hosts).to.include({ code, output: '' });
      expect(done.errors).to.match(errors);
      expect(await history()).to.deep.equal([]);
    }
  });

  it('goes on when nobody reads what it tells', async () => {
    await filled(...onOldHost(700));
    const process = startCommandProcess([...words, '--json'], on.settings);
    process.child.stdout?.destroy();
    expect(await process.ended).to.deep.equal({ code: 0, signal: null });
    expect(await history()).to.have.length(700);
    expect(await audited(), 'as one').to.deep.equal([700]);
  });

  describe('while others are at work', () => {
    const transfer = 'update campaign_mirror.campaigns set owner_id = 2 where id = 1';
    const mirrorOf = (id: number) =>
      `select from campaign_mirror.mirrors where campaign_id = ${id} for update`;

    it('a transfer or click in flight: moves all the same, later than before, with the owner of that moment', async () => {
      await filled(...onOldHost(2));
      const late = '2199-01-01T00:00:00.00000';
      await sql('update campaign_mirror.mirrors set updated_at = $1', `${late}1Z`);
      const click = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = 1';
      const { other, running } = await on.held(`${transfer}; ${click}`, ...words);
      await other.commit();
      expect((await running.ended).code, running.errors).to.equal(0);
      expect((await history()).map(({ owner }) => owner)).to.deep.equal([2, 1]);
      const [moved] = await on.objects('mirror list');
      expect(moved).to.include({ target_url: 'https://new.example/1', clicks: 1, updated_at: `${late}2Z` });
      const [change] = await on.objects('mirror history 1');
      expect(change).to.include({ changed_at: `${late}2Z`, actor: 'operator' });
    });

    const meanwhile: [what: string, part: string, left: string[], ...options: string[]][] = [
      ['it is that owner’s no more', transfer, ['https://old.example/1'], '--owner', '1'],
      [
        'it becomes the default campaign',
        'update campaign_mirror.campaigns set is_default = true where id = 1',
        ['https://old.example/1'],
      ],
      [
        'another address is set',
        "update campaign_mirror.mirrors set target_url = 'https://x.example/' where campaign_id = 1",
        ['https://x.example/'],
      ],
      ['its mirror is deleted', 'delete from campaign_mirror.mirrors where campaign_id = 1', []],
      ['it is deleted', 'delete from campaign_mirror.campaigns where id = 1', []],
    ];
    for (const [what, part, left, ...options] of meanwhile) {
      it(`a campaign is left alone and listed, and the rest moves, when ${what}`, async () => {
        await filled(...onOldHost(2));
        const { other, running } = await on.held(part, ...words, ...options);
        await other.commit();
        expect((await running.ended).code).to.equal(1);
        expect(running).to.include({
          output:
            'campaign 1: https://old.example/1 is not moved: the campaign or its mirror was changed meanwhile\n' +
            said('1 mirror was'),
          errors: 'not every mirror was moved: 1 changed meanwhile\n',
        });
        expect(await addresses()).to.deep.equal([...left, 'https://new.example/2']);
        expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([2]);
      });
    }

    it('one that is held for long is listed, and keeps nobody else waiting', async () => {
      await filled(...onOldHost(3));
      const other = await rival(database);
      await other.run(mirrorOf(2));
      await on.session(`
        $ ${words.join(' ')}
        campaign 2: https://old.example/2 is not moved: another transaction holds it
        ${said('2 mirrors were').trim()}
        ! not every mirror was moved: 1 held
        [1]`);
      await other.rollback();
      expect((await move()).code).to.equal(0);
      expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([1, 2, 3]);
    });

    const wentAway =
      'the database became unavailable: 499 mirrors were moved \\(move 1\\), and perhaps some more; run it again to go on\n';
    for (const [what, code, errors] of [
      ['Ctrl-C', 130, /^Stopped: (499|500) mirrors were moved \(move 1\)\. Run it again to go on\.\n$/],
      ['a database that goes away', 3, new RegExp(`^${wentAway}$`)],
    ] as const) {
      it(`${what} stops it between two batches; run again it goes on, and does nothing twice`, async () => {
        await filled(...onOldHost(1_100));
        const { other, running } = await on.held(mirrorOf(1), ...words);
        if (code === 3) await endWaiting(database);
        else running.interrupt();
        await other.rollback();
        expect((await running.ended).code, running.errors).to.equal(code);
        expect(running.errors).to.match(errors);
        const moved = (await history()).length;
        expect(running.errors).to.include(` ${moved} mirrors`);

        const rest = await move();
        const [last] = await on.objects('audit --limit 1');
        expect(rest).to.deep.equal(answered(said(`${1_100 - moved} mirrors were`, last.id)));
        expect(new Set((await history()).map(({ campaign }) => campaign)).size).to.equal(1_100);
        expect(await history()).to.have.length(1_100);
        expect((await audited()).reduce((sum, count) => sum + count, 0)).to.equal(1_100);
        for (const address of await addresses()) expect(address).to.match(/^https:\/\/new\.example\//);
      });
    }
  });
});
