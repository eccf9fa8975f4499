import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import {
  accountOf,
  type Block,
  blocksOf,
  isAnswer,
  linkedFiles,
  otherThanFiles,
  settingsTable,
  shownSettings,
  unaccounted,
  unknownCalls,
} from '../support/readme.ts';
import { ReadmeRuns } from '../support/readme-runs.ts';

const fence = '```';
const block = (marker: string, language: string, ...lines: string[]) =>
  [marker, `${fence}${language}`, ...lines, fence, ''].join('\n');
const only = (markdown: string): Block => {
  const [first] = blocksOf(markdown);
  if (!first) throw new Error('there is no block');
  return first;
};

describe('README.md: what the checks of it find', () => {
  it('blocks with their lines, languages and markers', () => {
    const markdown = `# Title\n\n${block('<!-- run: service -->\n', 'sh', 'a', '', 'b')}text\n${block('', 'sql', 'c')}`;
    expect(blocksOf(markdown)).to.deep.equal([
      { line: 5, language: 'sh', text: 'a\n\nb', marker: 'run: service' },
      { line: 12, language: 'sql', text: 'c', marker: undefined },
    ]);
    expect(() => blocksOf(`${fence}sh\nnpm start`)).to.throw(SyntaxError, 'README.md:1');
  });

  const scripts = ['start', 'test', 'types'];
  const accounted = [
    block('<!-- shown: a picture -->', '', '-->'),
    block('<!-- file: ops/a.conf -->', 'nginx', 'x'),
    block('<!-- scripts -->', 'sh', '# first', 'npm start', 'PORT=8080 npm start  # there', 'npm run types'),
    block('<!-- scripts -->', 'sh', 'TEST_DATABASE=container npm test', 'npm test -- --grep x'),
    block('<!-- run: service -->', 'sh', 'x') + block('<!-- answers -->', 'json', '{}'),
    block('<!-- run: database -->', 'sql', 'x') + block('<!-- answers -->', 'text', 'x'),
    block('<!-- run: database -->', 'sh', 'x'),
    block('<!-- run: database: owner@name -->', 'sql', 'x'),
    block('<!-- run: ts -->', 'ts', 'x'),
  ];
  it('each way to account for a block', () => {
    expect(unaccounted(accounted.join('\n'), scripts)).to.deep.equal([]);
  });

  it('a file that is shown otherwise than it is', () => {
    const shown = block('<!-- file: ops/a.conf -->', 'nginx', 'a', 'b');
    expect(otherThanFiles(shown, (path) => (path === 'ops/a.conf' ? 'a\nb\n' : ''))).to.deep.equal([]);
    for (const text of ['a\nb', 'a\nb\nc\n', 'A\nb\n'])
      expect(otherThanFiles(shown, () => text)).to.deep.equal(['README.md:2 ops/a.conf is otherwise']);
  });

  const planted: readonly (readonly [markdown: string, found: string])[] = [
    [block('', 'sh', 'x'), 'README.md:2 a block of sh with no marker'],
    [block('some text', 'sh', 'x'), 'README.md:2 a block of sh with no marker'],
    [block('', '', 'x'), 'README.md:2 a block of no language with no marker'],
    [block('<!-- shown: -->', 'sh', 'x'), "README.md:2 a block of sh with the marker 'shown:'"],
    [block('<!-- run: services -->', 'sh', 'x'), "README.md:2 a block of sh with the marker 'run: services'"],
    [
      block('<!-- run: service -->', 'bash', 'x'),
      "README.md:2 a block of bash with the marker 'run: service'",
    ],
    [block('<!-- run: ts -->', 'js', 'x'), "README.md:2 a block of js with the marker 'run: ts'"],
    [
      block('<!-- scripts -->', 'sh', 'rm -r .'),
      "README.md:2 'rm -r .' is not npm start, npm test or npm run NAME",
    ],
    [
      block('<!-- scripts -->', 'sh', 'npm start && rm x'),
      "README.md:2 'npm start && rm x' is not npm start, npm test or npm run NAME",
    ],
    [block('<!-- scripts -->', 'sh', 'npm run absent'), 'README.md:2 there is no script absent'],
    [block('<!-- scripts -->', 'sh', 'PROT=1 npm start'), 'README.md:2 there is no setting PROT'],
    [block('<!-- answers -->', 'text', 'x'), 'README.md:2 answers to a block that is not run'],
    [
      block('<!-- shown: so -->', 'sh', 'x') + block('<!-- answers -->', 'text', 'x'),
      'README.md:6 answers to a block that is not run',
    ],
  ];
  for (const [markdown, found] of planted) {
    it(`found: ${found}`, () => expect(unaccounted(markdown, scripts)).to.deep.equal([found]));
  }

  it('calls of scripts and commands that there are not', () => {
    const text = (code: string) =>
      `See \`${code}\` for more.\n${block('<!-- scripts -->', 'sh', 'npm run no')}`;
    for (const good of [
      'npm start',
      'npm run types',
      './campaign-mirror key issue --owner 1',
      './campaign-mirror',
    ]) {
      expect(unknownCalls(text(good), scripts), good).to.deep.equal([]);
    }
    for (const bad of ['npm run absent', './campaign-mirror key make', './campaign-mirror keys']) {
      expect(unknownCalls(text(bad), scripts), bad).to.have.length(1);
    }
  });

  it('links to files, not to elsewhere', () => {
    const text =
      'A [file](docs/a.md#part), [another](b.ts "b"), [there](https://example.com/), [here](#part).';
    expect(linkedFiles(text)).to.deep.equal(['docs/a.md', 'b.ts']);
  });

  it('the table of the settings, wherever it stands', () => {
    const table = settingsTable();
    expect(table).to.include(
      '| `PORT` | whole number: 0 to 65535 | `3000` | port that the service listens on; 0 takes a free one',
    );
    expect(table.split('\n')).to.have.length.above(10);
    expect(shownSettings(`# Title\n\n${table}\n\nmore`)).to.equal(table);
    expect(shownSettings(`${table}\n| \`OTHER\` | | more |`)).not.to.equal(table);
    expect(shownSettings('# Title')).to.equal('');
  });

  it('answers: … stands for anything, and nothing else does', () => {
    const answer = (language: string, text: string) => only(block('<!-- answers -->', language, text));
    const json = answer('json', '{\n  "id": …,\n  "at": "20… a",\n  "ok": true\n}');
    expect(isAnswer(json, '{"id":12,"at":"2026-11 a","ok":true}')).to.equal(true);
    expect(isAnswer(json, '{"id":12,"at":"2026-11  a","ok":true}'), 'space in a string').to.equal(true);
    expect(isAnswer(json, '{"id":12,"at":"2026-11 b","ok":true}')).to.equal(false);
    expect(isAnswer(json, '{"id":12,"at":"2026-11 a","ok":true,"more":1}')).to.equal(false);
    const text = answer('text', 'HTTP/1.1 200 OK\n…\n(a.b)');
    expect(isAnswer(text, 'HTTP/1.1 200 OK\r\nX: y\r\n\r\n(a.b)\n')).to.equal(true);
    expect(isAnswer(text, 'HTTP/1.1 200 OK\n\n(aXb)')).to.equal(false);
    const rows = answer('text', ' id | name\n----+------\n  1 | x\n(1 row)');
    expect(isAnswer(rows, 'id | name\n--+--\n1 | x\n(1 row)', true)).to.equal(true);
    expect(isAnswer(rows, 'id | name\n--+--\n2 | x\n(1 row)', true)).to.equal(false);
  });
});

describe('README.md: how its blocks are run', () => {
  let runs: ReadmeRuns;
  before(() => {
    runs = new ReadmeRuns();
  });
  after(() => runs.close());

  const run = (marker: string, language: string, ...lines: string[]) => {
    const one = only(block(`<!-- run: ${marker} -->`, language, ...lines));
    const account = accountOf(one);
    if (!account) throw new Error('the block is not accounted for');
    return runs.run(one, account);
  };
  const failure = async (...of: Parameters<typeof run>) => String(await rejection(run(...of)));

  it('service: with a key and a campaign, at the addresses of both listeners', async () => {
    const mirror = 'http://127.0.0.1:3000/public/v1/mirror/campaign/$CAMPAIGN/mirror';
    const headers = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"';
    const body = `'{"mirror_endpoint":"https://second.example/"}'`;
    const answered = await run('service', 'sh', `curl -sS -X POST ${mirror} ${headers} -d ${body}`);
    expect(JSON.parse(answered)).to.have.nested.property('mirror.target_url', 'https://second.example/');
    await run('service', 'sh', 'curl -sSf http://127.0.0.1:3001/readyz', 'OTHER=$(./campaign-mirror --help)');
    expect(await run('service', 'sh', 'echo "$OTHER"')).to.include('Usage: campaign-mirror');
  });

  it('service: a failing line fails the block', async () => {
    expect(await failure('service', 'sh', 'false', 'echo no')).to.include('ended with 1');
    expect(await failure('service', 'sh', 'curl -sSf http://127.0.0.1:3000/absent')).to.include('404');
  });

  it('database: what the service has written, as one of our roles', async () => {
    const history = 'select count(*) from campaign_mirror.mirror_history;';
    expect(await run('database: operator', 'sql', history)).to.equal('count\n--\n1\n(1 row)');
    expect(await run('database: superuser', 'sql', 'select null, true as yes')).to.include(
      '?column? | yes\n',
    );
    const drop = 'drop table campaign_mirror.mirror_history;';
    expect(await failure('database: operator', 'sql', drop)).to.include('must be owner');
  });

  it('database: a server that has nothing of ours', async () => {
    await run(
      'database',
      'sql',
      "create role campaign_mirror_owner login password 'secret';",
      'create database mirrors owner campaign_mirror_owner; -- ours',
    );
    expect(
      await run('database: owner@mirrors', 'sql', 'select current_user, current_database();'),
    ).to.include('campaign_mirror_owner | mirrors');
    const url = 'postgres://campaign_mirror_owner:secret@db.example:5432/mirrors';
    expect(await run('database', 'sh', `DATABASE_URL=${url} ./campaign-mirror migrate`)).to.include(
      'up to date',
    );
    expect(await failure('database', 'sql', 'select 1 from absent;')).to.include('does not exist');
  });

  it('ts: imports packages of ours; a type error or an exception fails the block', async () => {
    const id = ["import { campaignId } from '@campaign-mirror/domain';", "console.log(campaignId('7'));"];
    expect(await run('ts', 'ts', ...id)).to.equal('7\n');
    expect(await failure('ts', 'ts', ...id, "const x: string = campaignId('7');")).to.include(
      'block.ts(3,7)',
    );
    expect(await failure('ts', 'ts', ...id, "throw new Error('planted');")).to.include('planted');
  });
});
