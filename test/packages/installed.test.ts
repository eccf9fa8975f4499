import { globSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { isAnswer } from '../support/documents/blocks.ts';
import { Sandbox } from '../support/embedded/embedded-sandbox.ts';
import { oldTools } from '../support/embedded/old-tools.ts';
import { databaseOf } from '../support/process/lives.ts';
import { projectFolder } from '../support/workspace.ts';
import { type Consumer, consumer } from './consumer.ts';
import { names, packed } from './packed.ts';

/** The oldest Node that the packages claim, with npm 10. */
async function oldestNode(): Promise<string> {
  const [one] = await packed();
  const [, node = ''] = /^\^(\d+\.\d+\.\d+) /.exec(one?.manifest.engines.node ?? '') ?? [];
  return oldTools(await mkdtemp(join(tmpdir(), 'node-')), node);
}

/** Writes a library that passes on what everything exported is or gives, so that its declarations have to name all types. */
const passingOn = `
  import { readFileSync, writeFileSync } from 'node:fs';
  const lines = [
    'type Given<R> = readonly [R, { [Name in keyof Awaited<R>]: Awaited<R>[Name] }];',
    'declare function call<R>(of: (...given: never[]) => R): Given<R>;',
    'declare function make<R>(of: abstract new (...given: never[]) => R): Given<R>;',
    'declare function read<R>(of: R): Given<R>;',
  ];
  for (const name of ${JSON.stringify(names)}) {
    const folder = '@campaign-mirror/' + name;
    const { exports } = JSON.parse(readFileSync('node_modules/' + folder + '/package.json', 'utf8'));
    for (const entry of Object.keys(exports)) {
      const room = 'all' + lines.length;
      lines.push('import * as ' + room + " from '" + folder + entry.slice(1) + "';");
      for (const [one, value] of Object.entries(await import(folder + entry.slice(1)))) {
        const way = typeof value !== 'function' ? 'read' : String(value).startsWith('class') ? 'make' : 'call';
        lines.push('export const ' + room + one + ' = ' + way + '(' + room + '.' + one + ');');
      }
    }
  }
  writeFileSync('library.ts', lines.join('\\n'));`;

describe('the packages in an empty project', function () {
  this.timeout(240_000);
  const sandbox = new Sandbox();
  const database = databaseOf('suite', () => emptyDatabase('owner'));
  let bin: string;
  before('packs', async () => {
    bin = await oldestNode();
  });
  after(() => sandbox.clean());

  /** The examples and the declarations that they use have no error. */
  async function compiles(installed: Consumer): Promise<void> {
    const folder = await sandbox.folder();
    for (const name of names) {
      const [example] = await installed.example(`@campaign-mirror/${name}`);
      await installed.write(`${name}.ts`, String(example?.text).replace('/tmp/embedded-example', folder));
    }
    await installed.node(['--input-type=module', '--eval', passingOn]);
    const planted = `import { campaignId } from '@campaign-mirror/domain';\ncampaignId(true);\n`;
    await installed.write('planted.ts', planted);
    const [error, ...more] = await installed.compile();
    expect(error).to.match(/^planted\.ts\(2,12\): error TS2345/);
    expect(more).to.deep.equal([]);
  }

  it('by npm, TypeScript 5 finds no error in the examples', async () => {
    const versions = { typescript: '5.9.3' };
    await compiles(await consumer({ manager: 'npm', bin, skipLibCheck: true, versions }));
  });

  describe('by pnpm, with the oldest koa', () => {
    let installed: Consumer;
    before('installs', async () => {
      const versions = { typescript: '7.0.2', koa: '3.1.2' };
      installed = await consumer({ manager: 'pnpm', bin, skipLibCheck: false, versions });
    });

    it('TypeScript 7 finds no error in the examples and the declarations that they use', () =>
      compiles(installed));

    for (const name of names)
      it(`the example of ${name} prints what its README says`, async () => {
        const { host, port, user, password } = database.address('owner');
        const server = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: `${password}` };
        const printed = await installed.node([`out/${name}.js`], { ...server, PGDATABASE: database.name });
        const [, answer] = await installed.example(`@campaign-mirror/${name}`);
        if (!answer || !isAnswer(answer, printed)) expect(printed).to.equal(answer?.text);
      });

    for (const path of globSync('examples/*/*.test.ts', { cwd: projectFolder }))
      it(`${path} passes`, () => installed.node(['--test', path], { DATABASE_URL: database.url('owner') }));
  });
});
