import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { bodyWith, pathOf } from '../support/http/request.ts';
import { databaseOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { csv, line } from './csv.ts';

const tables = ['campaigns', 'mirrors', 'access_keys', 'mirror_history', 'operator_audit'];
const target_url = 'https://a.example/';

describe('the range of an installation', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const migrate = (numbers: string, ...more: string[]) =>
    command(['migrate', '--numbers', numbers, ...more], { DATABASE_URL: database.url('owner') });
  const ranged = async (numbers: string) => {
    const [first = 0, last = 0] = numbers.split('-').map(Number);
    const count = last - first + 1;
    const note =
      'If this is its first range, each change of a mirror takes one of these numbers, too: prefer 10^12.\n';
    const told = `The schema is up to date. This installation has the numbers ${first} to ${last}.\n`;
    expect(await migrate(numbers)).to.deep.equal(answered(told, count < 1e11 ? note : ''));
  };
  const importing = (...lines: Parameters<typeof line>[0][]) =>
    command(['import', '-'], on.settings, csv(...lines.map(line)));
  const created = async (): Promise<number> => (await on.object('campaign', 'create', '--owner', '9')).id;
  /** Of each table, in that order. */
  const ranges = async () => {
    const { rows } = await database.admin.query(
      `select seqmin || '-' || seqmax as range from pg_sequence, unnest($1::text[]) with ordinality as t (name, place)
      where seqrelid = ('campaign_mirror.' || name || '_id_seq')::regclass order by place`,
      [tables],
    );
    return rows.map(({ range }) => range);
  };
  const doctor = async () =>
    objectsOf((await on.run('doctor', '--json')).output)
      .filter(({ check }) => ['numbers', 'sequences'].includes(check))
      .map(({ state, finding }) => `${state}: ${finding}`);
  const left = (count: number, of = '11 to 20', state = 'ok', table = 'campaigns') =>
    `${state}: of the numbers ${of}, ${count} are left for ${table}`;
  const usedUp = (table: string, last: number) =>
    new RegExp(
      `, user "\\w+": .*"${table}_id_seq" \\(${last}\\) \\(2200H\\): this was the last number .* nothing was done: widen`,
    );

  it('holds for all that has a number; at its end `campaign create` says so, and doctor ahead of it', async () => {
    // One that was mistyped leaves nothing behind.
    for (const range of ['7001-9000', '11-20', '11-20']) await ranged(range);
    expect(await ranges()).to.deep.equal(Array(5).fill('11-20'));
    expect(await doctor()).to.deep.equal([left(10)]);
    expect(await created()).to.equal(11);
    expect(await importing({ id: '18', owner_id: '9' })).to.deep.equal(
      answered('Imported: 1 campaign, 0 mirrors.\n'),
    );
    expect(await created()).to.equal(19);
    expect(await doctor()).to.deep.equal([left(1, '11 to 20', 'warning')]);
    expect(await created()).to.equal(20);
    expect(await doctor()).to.deep.equal([left(0, '11 to 20', 'warning')]);
    for (const { code, errors } of [
      await on.run('campaign create --owner 9'),
      await importing({ owner_id: '3' }),
    ]) {
      expect(code).to.equal(1);
      expect(errors).to.match(usedUp('campaigns', 20));
    }
    await ranged('1-1000');
    expect(await ranges()).to.deep.equal(Array(5).fill('1-1000'));
    expect(await created()).to.equal(21);
    await ranged('1-9007199254740991');
    expect(await doctor()).to.deep.equal([]);
  });

  it('what is not one is wrong usage', async () => {
    const all = '20-11 7-7 0-5 5 1-2-3 1-9007199254740992 01-5 a-b - 1.5-2 -5-7';
    for (const wrong of all.split(' ')) {
      const { code, errors } = await migrate(wrong);
      expect([code, errors.includes('A first and a last number, such as ')], wrong).to.deep.equal([2, true]);
    }
    expect((await migrate('1-2', '--status')).code).to.equal(2);
    expect(await ranges()).to.deep.equal(Array(5).fill('1-9007199254740991'));
  });

  it('an import of other numbers is refused, and names it', async () => {
    await ranged('11-20');
    const told = 'this installation has the numbers 11 to 20';
    const bad = { owner_id: '7', target_url, id: '10', mirror_id: '21' };
    expect(
      await importing(bad, { ...bad, id: '21', mirror_id: '' }, { owner_id: '7', id: '20' }),
    ).to.deep.equal(
      refused(
        `line 2: id: ${told}\nline 2: mirror_id: ${told}: leave it empty, and the mirror gets one of them\n` +
          `line 3: id: ${told}\nnothing was imported, since 2 lines are bad: fix the file, and import it again\n`,
      ),
    );
    expect(await importing({ ...bad, id: '15', mirror_id: '' })).to.include({ code: 0 });
    expect(await created()).to.equal(16);
  });

  it('contains the campaigns that there are, and does not take away numbers that were assigned', async () => {
    for (const id of [1, 2, 3]) expect(await created()).to.equal(id);
    for (const range of ['2-1000', '1-2', '100-200'])
      expect(await migrate(range)).to.deep.equal(
        refused(
          `there are campaigns with numbers from 1 to 3, and the range is ${range.replace('-', ' to ')}: nothing was done\n`,
        ),
      );
    await on.run('campaign delete 3 --yes');
    // The audit has 4 entries by now.
    await ranged('1-3');
    expect(await ranges()).to.deep.equal(['1-3', '1-3', '1-3', '1-3', '1-9007199254740991']);
    expect((await on.run('campaign create --owner 9')).errors).to.match(usedUp('campaigns', 3));
    await ranged('1-1000');
    await ranged('1-2');
    expect(await ranges()).to.deep.equal(['1-2', '1-1000', '1-1000', '1-1000', '1-1000']);
    expect((await on.run('campaign create --owner 9')).errors).to.match(usedUp('campaigns', 2));
    await database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (5000, 9)');
    expect(await doctor()).to.deep.equal([
      left(0, '1 to 2', 'warning'),
      'problem: there are campaigns with numbers from 1 to 5000, and the range is 1 to 2',
    ]);
    await database.admin.query("select setval('campaign_mirror.campaigns_id_seq', 1)");
    expect((await doctor()).join()).to.include('the sequence campaigns_id_seq is behind its table');
    await ranged('1-9000');
    expect(await created()).to.equal(5001);
  });
});

describe('a service whose history has no number left', () => {
  const data = serviceDataOf('test');

  it('starts, answers 500, and doctor says why', async () => {
    await data.database.admin.query(
      "alter sequence campaign_mirror.mirror_history_id_seq maxvalue 9; select setval('campaign_mirror.mirror_history_id_seq', 9)",
    );
    const { base, process } = await listeningService(data.settings());
    const finding = 'of the numbers 1 to 9, 0 are left for mirror_history';
    expect((await process.event('check-warned')).msg).to.include(finding);
    const headers = { Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json' };
    const call = { method: 'POST', body: bodyWith(target_url), headers };
    expect((await fetch(`${base}${pathOf(Number(data.campaigns[0]))}`, call)).status).to.equal(500);
    const { output } = await commandsOn(data.database).run('doctor');
    expect(output).to.include(`problem  numbers     ${finding}`);
  });
});
