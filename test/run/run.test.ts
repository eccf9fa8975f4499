import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { processesOf } from '../support/process/data-folder.ts';
import { endAll, start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';

const support = `${projectFolder}test/support/database`;
const good = `it('passes', () => {}); it('passes too', () => {});`;
const bad = `it('fails', () => { throw new Error('a fault'); });`;
const waits = (more: string) => `it('waits', async () => {
  await (await import('${support}/database-server.ts')).freshDatabase();
  await (await import('${support}/dedicated-server.ts')).dedicatedServer();
  ${more}
  console.log('all is there');
  await new Promise(() => {});
});`;

const leaves = `
  const folder = await (await import('node:fs/promises')).mkdtemp(process.env.TMPDIR + '/left-');
  (await import('node:child_process')).spawn('tail', ['-f', '/dev/null', folder], { stdio: 'ignore' });`;

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
  async function runOf(files: Readonly<Record<string, string>>, ...words: string[]) {
    const paths = Object.keys(files).map((name) => join(folder, `${name}.test.ts`));
    for (const [name, lines] of Object.entries(files))
      await writeFile(join(folder, `${name}.test.ts`), `describe('${name}', () => {${lines}});`);
    const program = join(projectFolder, 'test/run/run.ts');
    return start(process.execPath, [program, ...paths, ...words], { TMPDIR: folder });
  }

  async function nothingIsLeft(): Promise<void> {
    expect(await processesOf(folder)).to.deep.equal([]);
    expect(readdirSync(folder).filter((name) => !name.endsWith('.test.ts'))).to.deep.equal([]);
  }

  it('runs what it is told to: exit code 0 where all passes, else 1, and it tells what failed', async () => {
    const failed = await runOf({ good, bad });
    expect((await failed.ended).code).to.equal(1);
    expect(failed.output).to.match(/2 passing.+1 failing.+Error: a fault/s);
    const [, kept = ''] = /^What this run said is in (.+)\n$/.exec(failed.errors) ?? [];
    expect(await readFile(kept, 'utf8')).to.equal(failed.output);
    await rm(kept);
    await nothingIsLeft();
    const passed = await runOf({ good, other: good }, '--grep', 'good passes too');
    expect((await passed.ended).code).to.equal(0);
    expect(passed.output).to.match(/^ +1 passing/m);
    for (const [word, line] of [
      ['test/absent.test.ts', /^there is no file test\/absent.test.ts\n$/],
      ['--suite=absent', /^there is no suite absent: core, processes, .*, history, .*\n$/],
    ] as const) {
      const refused = await runOf({ good }, ...word.split('='));
      expect((await refused.ended).code).to.equal(1);
      expect(refused.errors).to.match(line);
    }
  });

  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGKILL', null],
  ] as const)
    it(`${signal} leaves no server; one that can be heard no other process and no folder either`, async () => {
      const run = await runOf({ waits: waits(expected ? leaves : ''), good });
      await run.says(() => run.output.includes('all is there') || undefined);
      expect((await processesOf(folder)).length).to.be.greaterThan(2);
      expect((await run.stop(signal)).code).to.equal(expected);
      if (expected) await nothingIsLeft();
      await eventually('the end of all', async () => expect(await processesOf(folder)).to.deep.equal([]));
    });
});
