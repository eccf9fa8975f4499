import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { endAll, type RunningProcess, start } from '../support/process/service-process.ts';
import { projectFolder } from '../support/workspace.ts';

const support = `${projectFolder}test/support/database`;

describe('a run of the tests', () => {
  let folder: string;
  beforeEach('a system’s temporary folder of its own', async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirror-run-'));
    await chmod(folder, 0o711);
  });
  afterEach(async () => {
    await endAll();
    await rm(folder, { recursive: true });
  });

  /** Runs files of these lines, beside one another. */
  async function runOf(
    files: Record<string, string>,
    words: readonly string[] = [],
    settings: Record<string, string> = {},
  ): Promise<RunningProcess> {
    const paths = Object.keys(files).map((name) => join(folder, `${name}.test.ts`));
    for (const [name, lines] of Object.entries(files))
      await writeFile(join(folder, `${name}.test.ts`), `describe('${name}', () => {${lines}});`);
    const program = join(projectFolder, 'test/run/run.ts');
    return start(process.execPath, [program, ...paths, ...words], { TMPDIR: folder, ...settings });
  }

  const good = `it('passes', () => {}); it('passes too', () => {});`;
  const servers = `
    await (await import('${support}/database-server.ts')).freshDatabase();
    await (await import('${support}/dedicated-server.ts')).dedicatedServer();`;
  const other = `
    const { tmpdir } = await import('node:os');
    const folder = await (await import('node:fs/promises')).mkdtemp(tmpdir() + '/left-');
    (await import('node:child_process')).spawn('tail', ['-f', '/dev/null', folder], { stdio: 'ignore' });`;
  const waits = (what: string) => `it('waits', async () => {
    ${what}
    console.log('all is there');
    await new Promise(() => {});
  });`;

  const left = async () => [
    readdirSync(folder).filter((name) => !/\.(test\.ts|log)$/.test(name)),
    await processesOf(folder),
  ];

  it('tells what failed, and which files took longest', async () => {
    const run = await runOf({ good, bad: `it('fails', () => { throw new Error('a fault'); });` });
    expect((await run.ended).code).to.equal(1);
    expect(run.output).to.match(/slowest files.+good\.test\.ts.+2 passing.+1 failing.+Error: a fault/s);
    expect(await left()).to.deep.equal([[], []]);
    const [, file = ''] = /^What this run said is in (.+)\n$/.exec(run.errors) ?? [];
    expect(await readFile(file, 'utf8')).to.equal(run.output);
  });

  it('leaves no file where all passes', async () => {
    const run = await runOf({ good });
    expect(await run.ended).to.include({ code: 0 });
    expect(readdirSync(folder)).to.deep.equal(['good.test.ts']);
  });

  it('--grep: only what has these words; where nothing has, it fails', async () => {
    const run = await runOf({ good, other: good }, ['--grep', 'good passes too']);
    expect((await run.ended).code).to.equal(0);
    expect(run.output).to.match(/^ +1 passing/m);
    const none = await runOf({ good, other: good }, ['--grep', 'nothing']);
    expect((await none.ended).code).to.equal(1);
  });

  it('--suite: one that there is not is an error, which names those that there are', async () => {
    const run = await runOf({}, ['--suite', 'absent']);
    expect((await run.ended).code).to.equal(1);
    expect(run.errors).to.match(/^there is no suite absent: core, processes, .*, history, .*\n$/);
  });

  it('a file that there is not is an error', async () => {
    const run = await runOf({ good }, ['test/absent.test.ts']);
    expect((await run.ended).code).to.equal(1);
    expect(run.errors).to.equal('there is no file test/absent.test.ts\n');
  });

  it('a file that never lets go is ended, and the others are run', async () => {
    const hung = `it('hangs', () => { for (;;); });`;
    const run = await runOf({ hung, good, other: good }, [], { TEST_FILE_LIMIT: '3' });
    expect((await run.ended).code).to.equal(1);
    expect(run.errors).to.match(/hung\.test\.ts took more than 3 s: ended/);
    expect(run.output).to.match(/4 passing.+1 failing/s);
    expect(await left()).to.deep.equal([[], []]);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    it(`${signal} leaves no server, no process and no folder`, async () => {
      const run = await runOf({ waits: waits(servers + other), good });
      await run.says(() => run.output.includes('all is there') || undefined);
      expect((await processesOf(folder)).length).to.be.greaterThan(2);
      const { code } = await run.stop(signal);
      expect(code).to.equal(signal === 'SIGINT' ? 130 : 143);
      expect(await left()).to.deep.equal([[], []]);
    });

  it('killed itself, it leaves no server and no process', async () => {
    const run = await runOf({ waits: waits(servers), good });
    await run.says(() => run.output.includes('all is there') || undefined);
    await run.stop('SIGKILL');
    await eventually('the end of all', async () => expect(await processesOf(folder)).to.deep.equal([]));
  });
});
