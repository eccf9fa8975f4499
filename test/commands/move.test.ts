import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { endWaiting, lockMirror, rival } from '../support/database/rival.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';

type Filling = readonly [url: string, owner?: number, isDefault?: boolean];

/** So many on the host that moves. */
const onOldHost = (count: number): Filling[] =>
  Array.from({ length: count }, (_, at) => [`https://old.example/${at + 1}`]);

const defaultReason = (campaign: number) =>
  `it is its owner's default campaign: \`./campaign-mirror campaign unset-default ${campaign}\` makes it an ordinary one`;

describe('mirror move', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const sql = (text: string, ...values: unknown[]) => database.admin.query(text, values);

  /** Campaign 1 and so on, each with a mirror that points there; of owner 1 unless it is said. */
  async function filled(...fillings: Filling[]): Promise<void> {
    await sql(
      `insert into campaign_mirror.campaigns (owner_id, is_default)
      select owner, is_default from unnest($1::bigint[], $2::boolean[]) with ordinality as f (owner, is_default, place)
      order by place`,
      fillings.map(([, owner = 1]) => owner),
      fillings.map(([, , isDefault = false]) => isDefault),
    );
    await sql(
      `insert into campaign_mirror.mirrors (campaign_id, target_url)
      select place, url from unnest($1::text[]) with ordinality as f (url, place)`,
      fillings.map(([url]) => url),
    );
    // Their entries have other numbers than those of a move, which begin anew.
    await sql(`begin; set local session_replication_role = replica;
      truncate campaign_mirror.operator_audit restart identity; commit`);
  }
  const asked = 'mirror move --from-host old.example --to-host new.example';
  const line = `${asked} --yes`;
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

  it('moves every mirror on the host, notes it once each, and finds nothing to do a second time', async () => {
    const stays = 'https://x.old.example/?u=https://old.example/';
    const [odd, moved] = ['HTTP://OLD.Example.:8080/a?{id}', 'HTTP://new.example:8080/a?{id}'];
    const escaped = 'https://o%6cd.example#b';
    await filled([odd], [stays], [escaped, 2]);
    const row = { campaign: 1, owner: 1, before: odd, after: moved };
    const other = { campaign: 3, owner: 2, before: escaped, after: 'https://new.example#b' };
    const left =
      '1 mirror is on a name below old.example: --subdomains moves it, too. ' +
      '1 mirror has old.example in another part of the address, which a move leaves as it is.\n';
    for (const output of [said('2 mirrors were'), 'No mirror is on old.example.\n']) {
      expect(await on.run(line)).to.deep.equal(answered(output, left));
      expect(await addresses()).to.deep.equal([moved, stays, other.after]);
      expect(await history()).to.deep.equal([row, other]);
      expect(await audited()).to.deep.equal([2]);
    }
  });

  it('tells of each mirror, and of all; what is not moved makes the exit code 1; --dry-run changes nothing', async () => {
    const long = `https://old.example/${'x'.repeat(2048 - 20)}`;
    const byDefault = 'https://old.example/d';
    await filled(['https://old.example/a\u200db'], [byDefault, 1, true], [long]);
    const before = await addresses();
    await on.session(`
      $ ${asked} --dry-run
      campaign 1: https://old.example/a\\u{200d}b → https://new.example/a\\u{200d}b
      campaign 2 is not moved: ${defaultReason(2)}; --include-default moves it, too
      campaign 3: ${long} → ${long.replace('old', 'new')}
      2 mirrors would be moved from old.example to new.example; nothing was done.
      ! not every mirror would be moved: 1 default campaign
      [1]`);
    expect([await addresses(), await history(), await audited()]).to.deep.equal([before, [], []]);

    const longer = 'mirror move --from-host OLD.example --to-host Longer.example --yes --json';
    const { code, output, errors } = await on.run(longer);
    const row = (campaign_id: number, outcome: string, at: string, because = {}) => {
      return { campaign_id, outcome, before: at, after: at.replace('old', 'Longer'), ...because };
    };
    expect(objectsOf(output)).to.deep.equal([
      row(2, 'not-moved', byDefault, { because: 'default-campaign' }),
      row(3, 'not-moved', long, { because: 'too-long' }),
      row(1, 'moved', 'https://old.example/a\u200db'),
      {
        ...{ move: 1, looked_at: 3, moved: 1, would_move: 0, unchanged: 0, not_moved: 2 },
        ...{ below: 0, elsewhere: 0, limited_keys: 0 },
      },
    ]);
    expect([code, errors]).to.deep.equal([1, 'not every mirror was moved: 1 default campaign, 1 too long\n']);
    expect((await addresses()).slice(1)).to.deep.equal([byDefault, long]);
  });

  it('--owner, --subdomains, --include-default; what cannot be moved is refused', async () => {
    await filled(
      ...([['https://A.old.example/'], ['https://old.example/', 1, true]] as const),
      ...([['https://a.old.example/', 2], ['https://bold.example/']] as const),
    );
    await on.session(`
      $ ${line} --subdomains --owner 3
      No mirror of the owner 3 is on old.example or a name below it.
      $ mirror move --from-host old.example --to-host x.old.example --subdomains --yes
      ! x.old.example is old.example itself, or lies below it: use another --to-host
      $ MIRROR_HOST_DENYLIST=new.example ${line}
      ! the host denylist contains new.example, or names below it: use another --to-host`);
    expect((await on.run('mirror move --from-host old.example:80 --to-host x.example')).code).to.equal(2);
    expect(await history()).to.deep.equal([]);
    const all = 'mirror move --from-host example --to-host new.test --subdomains --include-default';
    expect((await on.run(`${all} --dry-run`)).output).to.match(
      /^4 mirrors would be moved from example to new\.test; nothing was done\.$/m,
    );
    expect((await on.run(all)).errors).to.match(/^Move 4 mirrors from example to new\.test, such as /);
    expect((await on.run(`${line} --owner 1 --subdomains --include-default`)).code).to.equal(0);
    expect(await addresses()).to.deep.equal([
      ...['https://A.new.example/', 'https://new.example/'],
      ...['https://a.old.example/', 'https://bold.example/'],
    ]);
  });

  it('asks, with the host, the number and an example: only yes, or --yes, moves; --undo gives back', async () => {
    await filled(...onOldHost(3), ['https://new.example/4']);
    const before = await addresses();
    const question = 'such as that of campaign 1 to https://new.example/1?';
    // Enter alone is no yes.
    for (const [answer, code] of [
      ['', 1],
      ['y', 0],
    ] as const) {
      const terminal = on.asking(asked);
      await terminal.shows(`Move 3 mirrors from old.example to new.example, ${question}`);
      expect(await addresses()).to.deep.equal(before);
      terminal.type(`${answer}\n`);
      expect((await terminal.ended).code).to.equal(code);
    }
    expect(await addresses()).to.deep.equal(before.map((one) => one.replace('old', 'new')));
    await on.run('mirror set 2 https://elsewhere.example/ --as-operator');
    const undo = 'mirror move --undo 1';
    await on.session(`
      $ ${undo}
      ! Move 2 mirrors back as before move 1, such as that of campaign 1 to https://old.example/1? Not moved: 1 changed since by an operator. There is no terminal to ask on: add --yes to confirm.
      [2]
      $ ${undo} --yes
      campaign 2 is not moved: it was changed since by an operator
      2 mirrors were moved back as before move 1. This is move 4: \`./campaign-mirror mirror move --undo 4\` undoes it.
      ! not every mirror was moved: 1 changed since by an operator
      [1]`);
    const [first, , ...others] = before;
    expect(await addresses()).to.deep.equal([first, 'https://elsewhere.example/', ...others]);
    const [noted] = await on.objects('audit --limit 1');
    const details = { undoes: 1, mirrors: 2, finished: true };
    expect(noted).to.deep.include({ id: 4, act: 'mirrors-moved', campaign_id: null, details });
    const undone = `move 1 was undone already, by move 4: \`./campaign-mirror mirror move --undo 4\` makes it again\n`;
    for (const how of ['', ' --yes', ' --dry-run --json'])
      expect(await on.run(`${undo}${how}`), how).to.deep.equal(refused(undone));
    expect((await on.objects('mirror move --undo 4 --yes')).at(-1)).to.include({ moved: 2 });
    expect((await addresses())[0]).to.equal('https://new.example/1');
    await on.session(`
      $ mirror move --undo 1 --yes
      campaign 2 is not moved: it was changed since by an operator
      2 mirrors were moved back as before move 1. This is move 8: \`./campaign-mirror mirror move --undo 8\` undoes it.
      ! not every mirror was moved: 1 changed since by an operator
      [1]
      $ mirror move --undo 2 --yes
      ! there is no move 2: \`./campaign-mirror mirror moves\` shows the numbers of moves`);
  });

  it('an undo takes default campaigns back, too, and says who changed what it leaves, and what to undo first', async () => {
    await filled(...onOldHost(4), ['https://old.example/5', 1, true]);
    const { key } = await on.object('key issue --owner 1 --name ours');
    const numbers: number[] = [];
    const moving = async (words: string) => {
      const sums = (await on.objects(`mirror move ${words} --yes`)).at(-1);
      numbers.push(sums.move);
      return sums;
    };
    await moving('--from-host old.example --to-host new.example --include-default');
    await command(['mirror', 'set', '1', 'https://x.example/'], { ...on.settings, CAMPAIGN_MIRROR_KEY: key });
    await on.run('campaign transfer 2 --to 2');
    await on.run('campaign transfer 3 --to 2');
    await moving('--from-host new.example --to-host third.example --owner 2');
    const [first, second] = numbers;
    await on.session(`
      $ mirror move --undo ${first} --yes --json
      {"campaign_id":1,"outcome":"not-moved","before":"https://x.example/","after":"https://old.example/1","because":"changed-since","by":"key 1"}
      {"campaign_id":2,"outcome":"not-moved","before":"https://third.example/2","after":"https://old.example/2","because":"changed-since","by":"move ${second}"}
      {"campaign_id":3,"outcome":"not-moved","before":"https://third.example/3","after":"https://old.example/3","because":"changed-since","by":"move ${second}"}
      {"campaign_id":4,"outcome":"moved","before":"https://new.example/4","after":"https://old.example/4"}
      {"campaign_id":5,"outcome":"moved","before":"https://new.example/5","after":"https://old.example/5"}
      {"move":8,"looked_at":5,"moved":2,"would_move":0,"unchanged":0,"not_moved":3}
      ! not every mirror was moved: 1 changed since by key 1, 2 changed since by move ${second}: \`./campaign-mirror mirror move --undo ${second}\` first undoes move ${second}
      [1]`);
    await moving(`--undo ${second}`);
    expect(await moving(`--undo ${first}`).catch(({ message }) => message)).to.include(
      '1 changed since by key 1',
    );
    expect((await addresses()).slice(1)).to.deep.equal([2, 3, 4, 5].map((at) => `https://old.example/${at}`));
  });

  it('several hosts are one move; a move that is made again after its end is another one', async () => {
    await filled(['https://a.example/1'], ['https://x.b.example/2'], ['https://c.example/3']);
    const several =
      'mirror move --from-host a.example --from-host b.example,c.example --to-host new.example --yes';
    const two = '2 mirrors were moved from a.example, b.example, c.example to new.example.';
    await on.session(`
      $ ${several}
      ${two} This is move 1: \`./campaign-mirror mirror move --undo 1\` undoes it.
      ! 1 mirror is on a name below a.example or b.example or c.example: --subdomains moves it, too.
      $ mirror move --from-host '*.b.example' --to-host new.example
      ! option '--from-host <host...>' argument '*.b.example' is invalid. Write b.example with --subdomains: \`./campaign-mirror mirror move --help\` shows how to use it
      [2]`);
    expect(await addresses()).to.deep.equal([
      'https://new.example/1',
      'https://x.b.example/2',
      'https://new.example/3',
    ]);
    await on.run('mirror set 1 https://a.example/again --as-operator');
    expect((await on.objects(`${several} --json`)).at(-1)).to.include({ move: 4, moved: 1 });
    const [undo] = (await on.objects('mirror move --undo 4 --yes')).slice(-1);
    const listed = await on.objects('mirror moves');
    const told = listed.map(({ id, from, to, mirrors, undoes, undone_by }) => [
      id,
      from ?? undoes,
      to,
      mirrors,
      undone_by,
    ]);
    const from = 'a.example,b.example,c.example';
    expect(told.filter(([id]) => id !== 3)).to.deep.equal([
      [undo.move, 4, undefined, 1, null],
      [4, from, 'new.example', 1, undo.move],
      [1, from, 'new.example', 2, null],
    ]);
    await on.run('mirror delete 3 --yes');
    expect((await on.run('mirror move --undo 1 --yes')).output).to.include(
      'campaign 3 is not moved: it has no mirror: `./campaign-mirror mirror create 3 --target-url URL` creates it',
    );
  });

  it('a target that no mirror can have is refused once, before anything moves', async () => {
    await filled(...onOldHost(1), ['https://lp.old.example/2']);
    for (const [to, why] of [
      ['dom11', 'no mirror can be on dom11, which visitors cannot reach: use another --to-host\n'],
      [
        'denied.example',
        'the host denylist contains denied.example, or names below it: use another --to-host\n',
      ],
      ['x.old.example', 'x.old.example is old.example itself, or lies below it: use another --to-host\n'],
    ]) {
      const words = `mirror move --from-host old.example --to-host ${to} --subdomains --yes`.split(' ');
      const settings = { ...on.settings, MIRROR_HOST_DENYLIST: '*.denied.example' };
      expect(await command(words, settings)).to.deep.equal(refused(why as string));
    }
    expect(await history()).to.deep.equal([]);
  });

  it('names the keys that keep their owners on the old host, and how to replace them', async () => {
    await filled(...onOldHost(1), ['https://old.example/2', 2]);
    const issued = [];
    const wide = 'x.example,old.example,*.old.example';
    for (const hosts of [wide, '*.old.example', 'old.example,new.example', 'x.example', 'old.example'])
      issued.push((await on.object(`key issue --owner 1 --name k --hosts ${hosts}`)).id);
    await on.run(`key revoke ${issued[4]}`);
    const named =
      '2 keys are limited to hosts that were left (1, 2), and cannot set a mirror to new.example: ';
    const list = 'x.example,new.example,*.new.example';
    const successor = `\`./campaign-mirror key rotate 1 --hosts '${list}'\` gives key 1 a successor.\n`;
    expect((await on.run(`${line} --subdomains --dry-run`)).errors).to.equal(named + successor);
    const odd = 'mirror move --from-host old.example --to-host my_new.example --dry-run';
    expect((await on.run(odd)).errors).to.match(
      / set a mirror to my_new\.example: no key can be limited to that host; issue one without --hosts\.\n$/,
    );
    const part = 'mirror move --from-host s.old.example --to-host new.example --dry-run';
    expect((await on.run(part)).errors, 'a key for all names below is not limited to one').to.equal('');
    const [sums] = (await on.objects(`${line} --owner 1`)).slice(-1);
    expect(sums).to.include({ moved: 1, limited_keys: 1 });
    expect((await on.run(`${line} --owner 2`)).errors).to.equal('');
  });

  it('says how many are below the host, and how many have it elsewhere, before and after a move', async () => {
    await filled(
      ['https://lp0.old.example/'],
      ['https://lp1.old.example/?u=1'],
      ['https://x.example/?u=old.example'],
    );
    const left =
      '2 mirrors are on a name below old.example: --subdomains TAKES them, too. ' +
      '1 mirror has old.example in another part of the address, which a move leaves as it is.';
    await on.session(`
      $ ${asked} --dry-run
      No mirror is on old.example.
      ! ${left.replace('TAKES', 'moves')}
      $ mirror list --host old.example
      ! No mirror is on old.example.
      ! ${left.replace('TAKES', 'lists')}
      [0]`);
    await sql(
      "update campaign_mirror.mirrors set target_url = 'https://old.example/?u=old.example' where campaign_id = 3",
    );
    const question = (await on.run(asked)).errors;
    expect(question).to.include(`? ${left.replace('TAKES', 'moves')} There is no terminal`);
    const [sums] = (await on.objects(`${line} --subdomains`)).slice(-1);
    expect(sums).to.include({ moved: 3, below: 0, elsewhere: 1 });
  });

  describe('mirror set --file', () => {
    const folder = folderOf('test');
    const x = 'https://x.example/';
    /** The command with a file of these lines, after a line with these columns. */
    const setting = async (lines: readonly string[], columns = 'campaign,address,expected') => {
      await writeFile(folder.at('new.csv'), [columns, ...lines].join('\n'));
      return `mirror set --file ${folder.at('new.csv')}`;
    };
    const was = (mirrors: string, number: number) =>
      `${mirrors} set from new.csv. This is move ${number}: \`./campaign-mirror mirror move --undo ${number}\` undoes it.`;

    it('each line ends as set, unchanged, refused or not as expected; with the number, audit and undo of a move', async () => {
      await filled(...onOldHost(5), ['https://old.example/6', 2, true], ['https://old.example/7']);
      await sql('delete from campaign_mirror.mirrors where campaign_id = 7');
      const lines = [
        `${x}?a={b};1;;\r`,
        `"${x}?a=""b"";c";2;https://old.example/2;"a note;"\r`,
        ';;;\r',
        '\r',
        ...[`${x};3;https://other.example/;\r`, 'https://old.example/4;4;https://elsewhere.example/;\r'],
        ...['https://denied.example/;5;;\r', `${x};6;;\r`, `${x};7;;\r`, 'https://u:secret@x.example/;8;;\r'],
        ...[`${x};;;\r`, `${x};9;;\r`, `${x};9;;\r`, `${x};1\r`],
      ];
      const file = await setting(lines, '\ufeffTarget URL;"Campaign ID";Expected;Notes\r');
      const invalid = `
        line 12: campaign: it is "", and must be a whole number from 1 to 9007199254740991, in digits alone
        line 13: campaign 9 is in line 14, too
        line 14: campaign 9 is in line 13 already
        line 15: the line has 2 fields, but the header has 4: Excel leaves out last columns that are empty: put one last that is filled in each line`;
      const set = `
        line 2: campaign 1: https://old.example/1 → ${x}?a={b}
        line 3: campaign 2: https://old.example/2 → ${x}?a="b";c`;
      const others = `
        line 6: campaign 3 is not set: its address is https://old.example/3
        line 8: campaign 5 is not set: the new address is refused: it must not point to this host, which the host denylist contains
        line 9: campaign 6 is not set: ${defaultReason(6)}
        line 10: campaign 7 is not set: it has no mirror: \`./campaign-mirror mirror create 7 --target-url URL\` creates it
        line 11: campaign 8 is not set: there is no such campaign`;
      const sums =
        '4 in invalid lines, 1 not as expected, 1 denied host, 1 default campaign, 1 mirror not created, 1 campaign not found';
      const left = '! Left out: the columns "Notes".';
      await on.session(`
        $ MIRROR_HOST_DENYLIST=denied.example ${file} --dry-run${invalid}${set}${others}
        2 mirrors would be set from new.csv; nothing was done.
        ${left}
        ! not every mirror would be set: ${sums}
        [1]
        $ MIRROR_HOST_DENYLIST=denied.example ${file} --yes${invalid}${others}
        ${was('2 mirrors were', 2)}
        ${left}
        ! not every mirror was set: ${sums}
        [1]`);
      const settings = { ...on.settings, MIRROR_HOST_DENYLIST: 'denied.example' };
      const inJson = await command([...file.split(' '), '--dry-run', '--json'], settings);
      expect(inJson.output).not.to.match(/secret|denied\.example/);
      const [entry] = await on.objects('audit --limit 1');
      expect(entry.act).to.equal('mirrors-moved');
      expect(entry.details).to.include({ source: 'new.csv', mirrors: 2, finished: true });
      expect((await addresses()).slice(0, 2)).to.deep.equal([`${x}?a={b}`, `${x}?a="b";c`]);
      expect((await on.run('mirror move --undo 2 --yes')).code).to.equal(0);
      expect((await addresses()).slice(0, 2)).to.deep.equal(onOldHost(2).map(([url]) => url));
    });

    it('takes no line within a quoted cell for one of the file; a file without lines changes nothing', async () => {
      await filled(...onOldHost(3));
      const columns = 'PK;campaign;address;"No\r\ntes"\r';
      const file = await setting(
        [`;1;${x}1;"first\r`, `;2;${x}2;\r`, '"\r', `;3;${x}3;"a ""note"""\r`],
        columns,
      );
      expect((await on.run(`${file} --yes`)).code).to.equal(0);
      expect(await addresses()).to.deep.equal([`${x}1`, 'https://old.example/2', `${x}3`]);
      await on.session(`
        $ ${await setting(['1.0,,'])} --yes
        line 2: campaign 1 is not set: the new address is empty: it must start with http:// or https://
        0 mirrors were set from new.csv.
        ! not every mirror was set: 1 not http
        [1]`);
      const none = await on.run(`${await setting([], 'campaign,address')} --yes`);
      expect(none).to.deep.equal(answered('new.csv changes nothing: it has no lines.\n'));
    });

    it('asks, and sets what the question has named, whatever becomes of the file; what changed meanwhile is left alone', async () => {
      await filled(...onOldHost(3));
      const file = await setting([`1,${x}1,`, `2,${x}2,`, `9,${x}9,`]);
      const terminal = on.asking(file);
      await terminal.shows(
        `Set 2 mirrors from new.csv, such as that of campaign 1 to ${x}1? Not set: 1 campaign not found.`,
      );
      await setting([`3,${x}3,`]);
      await on.run('mirror set 2 https://elsewhere.example/ --as-operator');
      terminal.type('y\n');
      expect((await terminal.ended).code).to.equal(1);
      expect(terminal.screen).to.include('not every mirror was set: 1 not as expected, 1 campaign not found');
      expect(await addresses()).to.deep.equal([
        `${x}1`,
        'https://elsewhere.example/',
        'https://old.example/3',
      ]);
      expect((await on.run(file)).errors).to.include('There is no terminal to ask on: add --yes to confirm.');
    });

    it('a file that left a locked mirror goes on as its move; another one of the same name is another move', async () => {
      await filled(...onOldHost(3));
      const file = await setting([`1,${x}1,`, `2,${x}2,`]);
      const other = await rival(database, lockMirror, 2);
      expect((await on.run(`${file} --yes`)).errors).to.equal(
        'not every mirror was set: 1 locked: run it again\n',
      );
      await setting([`1,${x}new,`, `3,${x}3,`]);
      expect((await on.objects(`${file} --yes`)).at(-1)).to.include({ set: 2, move: 3 });
      await other.rollback();
      await setting([`1,${x}1,`, `2,${x}2,`]);
      expect((await on.objects(`${file} --yes`)).at(-1)).to.include({ set: 2, move: 1 });
    });

    it('an export that was edited, from standard input: only what was edited is set', async () => {
      await filled(...onOldHost(3), ['https://old.example/4', 2, true]);
      await on.run('campaign create --owner 3');
      const edited = (await on.run('export')).output.replace('https://old.example/2', `${x}2`);
      const run = (...more: string[]) =>
        command(['mirror', 'set', '--file', '-', ...more], on.settings, edited);
      expect((await run()).errors).to.match(/^Set 1 mirror from standard input, such as .*2\? .* add --yes/);
      const { output } = await run('--yes', '--json');
      expect(objectsOf(output).map(({ outcome }) => outcome)).to.deep.equal([
        ...['unchanged', 'unchanged', 'unchanged', 'unchanged', 'set', undefined],
      ]);
      expect(objectsOf(output).at(-1)).to.include({
        move: 2,
        looked_at: 5,
        set: 1,
        unchanged: 4,
        not_set: 0,
      });
      expect(await run('--yes')).to.deep.equal(
        answered('standard input changes nothing: each mirror has its address already.\n'),
      );
      expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([2]);
    });
  });

  it('a transfer or click in flight: moves all the same, later than before, with the owner of that moment', async () => {
    await filled(...onOldHost(2));
    const late = '2199-01-01T00:00:00.00000';
    await sql('update campaign_mirror.mirrors set updated_at = $1', `${late}1Z`);
    const transfer = 'update campaign_mirror.campaigns set owner_id = 2 where id = 1';
    const click = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = 1';
    const { other, running } = await on.held(`${transfer}; ${click}`, line);
    await other.commit();
    expect((await running.ended).code, running.errors).to.equal(0);
    expect((await history()).map(({ owner }) => owner)).to.deep.equal([2, 1]);
    const [moved] = await on.objects('mirror list');
    expect(moved).to.include({ target_url: 'https://new.example/1', clicks: 1, updated_at: `${late}2Z` });
    const [change] = await on.objects('mirror history 1');
    expect(change).to.include({ changed_at: `${late}2Z`, subject: 'operator' });
  });

  it('what is transferred, default, set or deleted meanwhile is left alone and listed; the rest moves', async () => {
    await filled(...onOldHost(6));
    const meanwhile = `
      update campaign_mirror.campaigns set owner_id = 2 where id = 1;
      update campaign_mirror.campaigns set is_default = true where id = 2;
      update campaign_mirror.mirrors set target_url = 'https://x.example/' where campaign_id = 3;
      delete from campaign_mirror.mirrors where campaign_id = 4;
      delete from campaign_mirror.campaigns where id = 5`;
    const { other, running } = await on.held(meanwhile, `${line} --owner 1`);
    await other.commit();
    expect((await running.ended).code).to.equal(1);
    const meanwhileChanged = 'the campaign or its mirror was changed meanwhile';
    const reasons = [
      meanwhileChanged,
      `${defaultReason(2)}; --include-default moves it, too`,
      meanwhileChanged,
      'it has no mirror: `./campaign-mirror mirror create 4 --target-url URL` creates it',
      'there is no such campaign',
    ];
    expect(running.output).to.equal(
      reasons.map((reason, at) => `campaign ${at + 1} is not moved: ${reason}\n`).join('') +
        said('1 mirror was', 5),
    );
    expect(running.errors).to.equal(
      'not every mirror was moved: 2 changed meanwhile, 1 default campaign, 1 mirror not created, 1 campaign not found: run it again\n',
    );
    const left = ['https://old.example/1', 'https://old.example/2', 'https://x.example/'];
    expect(await addresses()).to.deep.equal([...left, 'https://new.example/6']);
    expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([6]);
  });

  it('one that is held for long is listed, and keeps nobody else waiting', async () => {
    await filled(...onOldHost(3));
    const other = await rival(database, lockMirror, 2);
    await on.session(`
      $ ${line}
      campaign 2 is not moved: another transaction holds its mirror
      ${said('2 mirrors were').trim()}
      ! not every mirror was moved: 1 locked: run it again
      [1]`);
    await other.rollback();
    const finished = async () => (await on.objects('mirror moves')).at(-1).finished;
    expect(await finished(), 'it waits to be run again').to.equal(false);
    expect((await on.run(line)).code).to.equal(0);
    expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([1, 2, 3]);
    expect(await finished()).to.equal(true);
  });

  for (const [what, code] of [
    ['Ctrl-C', 130],
    ['a database that goes away', 3],
  ] as const) {
    it(`${what} stops it between two batches; run again it goes on, and does nothing twice`, async () => {
      await filled(...onOldHost(1_100));
      await sql(`
        create function public.hold() returns trigger language plpgsql as $$
          begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
        create trigger hold before update on campaign_mirror.mirrors for each row
          when (new.campaign_id = 501) execute function public.hold()`);
      const { other, running } = await on.held('select pg_advisory_xact_lock(1)', line);
      if (code === 3) await endWaiting(database);
      else running.interrupt();
      await other.rollback();
      expect((await running.ended).code, running.errors).to.equal(code);
      const moved = (await history()).length;
      const sofar = `${moved} mirrors were moved (move 1)`;
      expect(moved).to.equal(code === 3 ? 500 : 1_000);
      if (code === 3)
        expect(running.errors).to.include(`unavailable (57P01): ${sofar} for certain; run it again\n`);
      else expect(running.errors).to.equal(`Stopped: ${sofar}. Run it again to go on.\n`);
      const spelled = line.replace('old.example', 'OLD.example.').replace('new.example', 'NEW.example');
      const rest = said(`${1_100 - moved} mirrors were`).replace('old.example to new', 'OLD.example. to NEW');
      expect(await on.run(`${spelled} --include-default`)).to.deep.equal(answered(rest));
      expect(new Set((await history()).map(({ campaign }) => campaign)).size).to.equal(1_100);
      expect(await history()).to.have.length(1_100);
      expect(await audited()).to.deep.equal([1_100]);
      for (const address of await addresses()) expect(address).to.match(/^https:\/\/new\.example\//i);
      expect((await on.objects('mirror move --undo 1 --yes')).at(-1)).to.include({ moved: 1_100 });
      for (const address of await addresses()) expect(address).to.match(/^https:\/\/old\.example\//);
    });
  }
});
