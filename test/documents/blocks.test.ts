import { globSync, readFileSync } from 'node:fs';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import pg from 'pg';
import { createRoles, query } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { type Block, blocksOf, isAnswer } from '../support/documents/blocks.ts';
import { folderOf } from '../support/process/lives.ts';
import {
  demonstration,
  type Listening,
  listeningService,
  outputOf,
  projectFolder,
  start,
} from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const all = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder, exclude: ['docs/reference/api/**'] });
/** The first page creates the database that the others use; the tutorial needs it empty, and the last page fills it. */
const last = 'docs/explanation/guarantees.md';
const others = all.filter((path) => path !== last).sort();
const paths = new Set(['docs/how-to/own-postgresql.md', ...others, last]);

describe('what a reader copies from the documents works and prints what they show', () => {
  let service: Listening;
  let variables: Record<string, string>;
  let server: DedicatedServer;
  /** On that server: the first terminal, its service, and the output of the second terminal. */
  let first: pg.Client | undefined;
  let own: Listening | undefined;
  let second: Promise<string> | undefined;
  // Declared before `folder`, whose hook kills what still runs.
  after(async () => {
    await first?.end();
    await own?.process.stop();
    expect((await service?.process.stop())?.code).to.equal(0);
    await server?.remove();
  });
  const folder = folderOf('suite');

  before(async () => {
    server = await dedicatedServer();
    // PostgreSQL does not run as root: its user needs to pass through the folder.
    await chmod(folder.path, 0o711);
    await symlink(`${projectFolder}campaign-mirror`, folder.at('campaign-mirror'));
    const DATA_DIR = folder.at('data');
    service = await listeningService({ DATA_DIR, DEMO: 'on' });
    const { campaign, key } = await demonstration(service.process);
    variables = { DATA_DIR, CAMPAIGN: `${campaign}`, KEY: key };
  });

  /** Runs a block and returns its standard output. @throws Error when it fails */
  async function run({ marker, language, text }: Block): Promise<string> {
    if (marker === 'run: service') {
      const { base, ops } = service;
      const here = text.replaceAll('http://127.0.0.1:3000', base).replaceAll('http://127.0.0.1:3001', ops);
      return shell(here, 'service', variables);
    }
    const { host = '', port } = server.address('postgres');
    if (marker === 'run: first terminal') {
      const terminal = first ?? new pg.Client(server.address('postgres', 'mirrors'));
      if (!first) await terminal.connect();
      first = terminal;
      await first.query(text);
      return (await second) ?? '';
    }
    if (marker === 'run: second terminal') {
      const url = `postgres://postgres@${host}:${port}/mirrors`;
      own = await listeningService({ DATABASE_URL: url, RUN_MIGRATIONS: 'false', STATEMENT_TIMEOUT: '1m' });
      second = shell(text.replaceAll('http://127.0.0.1:3000', own.base), 'server', {});
      const waiting = 'select from pg_locks where not granted';
      await eventually('the call to wait', async () =>
        expect((await first?.query(waiting))?.rowCount).to.be.above(0),
      );
      return '';
    }
    if (language === 'sh') {
      const here = text.replace(/\b(postgres(?:ql)?:\/\/[^\s@/]*@)[^\s/]+/g, `$1${host}:${port}`);
      const { DATA_DIR = '' } = variables;
      return shell(here, 'server', { DATA_DIR, PGHOST: host, PGPORT: String(port), PGUSER: 'postgres' });
    }
    const [, role = 'postgres', database] = /: (\w+)@(\w+)$/.exec(marker) ?? [];
    await query(server.address(role, database), text);
    return '';
  }

  /** Does the work of the block that needs psql, which test/deployment/roles.test.ts runs. */
  async function makeRoles(): Promise<void> {
    const grant = `grant create on database mirrors to ${roles.owner}`;
    await query(server.address('postgres'), `${createRoles}; ${grant}`);
  }

  /** Variables that a script sets are kept for the next script of its kind. */
  async function shell(script: string, kind: string, given: Record<string, string>): Promise<string> {
    const [file, kept] = [folder.at('block.sh'), folder.at(`${kind}.sh`)];
    await writeFile(kept, '', { flag: 'a' });
    await writeFile(file, `set -ea\n. '${kept}'\n${script}\nexport -p > '${kept}'\n`);
    return outputOf(start('sh', [file], given, folder.path));
  }

  for (const path of paths) {
    const blocks = blocksOf(readFileSync(`${projectFolder}${path}`, 'utf8'));
    for (const [at, block] of blocks.entries()) {
      if (block.marker === 'rehearsed: roles') it(`${path}:${block.line} has its roles`, makeRoles);
      if (!block.marker.startsWith('run: ')) continue;
      it(`${path}:${block.line} works (${block.marker})`, async () => {
        const output = await run(block);
        const answer = blocks[at + 1];
        if (answer?.marker !== 'answers' || isAnswer(answer, output)) return;
        expect(output, `line ${answer.line}`).to.equal(answer.text);
      });
    }
  }
});
