import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projectFolder, read } from '../support/workspace.ts';

/** Uses of the platform. */
const platform = [
  "import { readFileSync } from 'node:fs'; export const x = readFileSync;",
  'process.pid;',
  'process.env;',
  "fetch('http://127.0.0.1/');",
  "console.log('x');",
  'setTimeout(() => {}, 1);',
  "Buffer.from('x');",
  'document.title;',
  'crypto.randomUUID();',
  'performance.now();',
  "require('fs');",
  "new URL('http://127.0.0.1/');",
  'new TextDecoder();',
];

/** Uses of the container and of the log, and whether they are right. */
const wiring: readonly (readonly [line: string, compiles: boolean])[] = [
  ['bind(tokens.identity).toResolvedValue((h: OpenHotPath) => of(h), [tokens.hotPath]);', true],
  ['bind(tokens.http).toResolvedValue((h: OpenHotPath) => of(h), [tokens.hotPath]);', false],
  ['bind(tokens.identity).toResolvedValue((h: OpenHotPath) => of(h), [tokens.http]);', false],
  ['bind(tokens.identity).toResolvedValue((h: OpenHotPath) => of(h), []);', false],
  ['bind(tokens.identity).toConstantValue(of(hotPath));', true],
  ['bind(tokens.identity).toConstantValue({});', false],
  ['container.get(tokens.http).drain(0);', true],
  ['container.get(tokens.http).whoIs;', false],
  ['const unread: never = container.get(tokens.http);', false],
  ["log.info({ event: 'stopped' }, '');", true],
  ["log.info({ event: 'unheard-of' }, '');", false],
  ["log.warn({ event: 'stopped', why: 1 }, '');", true],
  ["log.info({ why: 1 }, '');", false],
];
const head = [
  "import type { OpenHotPath } from '@campaign-mirror/adapters-persistence';",
  "import { Container, ContainerModule } from 'inversify';",
  "import type { Log } from '../logging/log.ts';",
  "import { tokens } from './tokens.ts';",
  'declare const log: Log;',
  'declare const hotPath: OpenHotPath;',
  'const of = ({ identity }: OpenHotPath) => ({ identity, isWellFormed: () => true });',
  'export const container = new Container();',
  'export const planted = new ContainerModule(({ bind }) => {',
];
const inDomain = 'packages/domain/src/planted';
const inApp = 'packages/app/src/wiring/planted.ts';
const rules = 'packages/domain/src/set-campaign-mirror/authorization-rules.ts';
/** Where each of the rules has an answer. */
const answering = [
  'packages/adapters-http/src/answers/replies.ts',
  'packages/adapters-cli/src/words/refusals.ts',
  'packages/adapters-cli/src/commands/mirror-move-command.ts',
];

describe('architecture: what does not compile', () => {
  let copy: string;
  let complaints: { at: string; message: string }[];

  before(async () => {
    copy = await realpath(await mkdtemp(join(tmpdir(), 'campaign-mirror-copy-')));
    await cp(`${projectFolder}tsconfig.base.json`, join(copy, 'tsconfig.base.json'));
    for (const name of await readdir(`${projectFolder}packages`)) await copyPackage(`packages/${name}`);

    for (const [number, text] of platform.entries())
      await plant(`${inDomain}-${number}.ts`, `${text}\nexport {};`);
    const fourth = "  { refusal: 'campaign-ended', rule: 'It has ended.', holds: () => true },\n] as const;";
    await plant(rules, (await read(rules)).replace('] as const;', fourth));
    await plant(inApp, [...head, ...wiring.map(([line]) => line), 'void unread; });'].join('\n'));
    complaints = await compile();
  });
  after(() => rm(copy, { recursive: true, force: true }));

  async function copyPackage(folder: string): Promise<void> {
    for (const part of ['src', 'package.json', 'tsconfig.json'])
      await cp(join(projectFolder, folder, part), join(copy, folder, part), { recursive: true });
    const { dependencies, devDependencies } = JSON.parse(await read(`${folder}/package.json`));
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const link = join(copy, folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      const real = await realpath(join(projectFolder, folder, 'node_modules', name));
      await symlink(
        real.replace(await realpath(join(projectFolder, 'packages')), join(copy, 'packages')),
        link,
      );
    }
  }

  const plant = (path: string, text: string) => writeFile(join(copy, path), text);

  /** What the compiler has to say of the application and of all that it is made of. */
  const compile = () =>
    new Promise<typeof complaints>((resolve) => {
      const args = ['-b', join('packages', 'app'), '--pretty', 'false'];
      execFile(join(projectFolder, 'node_modules/.bin/tsc'), args, { cwd: copy }, (_, output) => {
        const found = output.matchAll(/^(\S+)\((\d+),\d+\): error TS\d+: (.*)$/gm);
        resolve([...found].map(([, path, line, message = '']) => ({ at: `${path}:${line}`, message })));
      });
    });
  const complainedOf = (path: string) =>
    complaints.flatMap(({ at }) => (at.startsWith(path) ? [at.slice(path.length + 1)] : []));

  it('the platform in the domain: each of its globals and modules is an error', () => {
    const expected = platform.map((_, number) => `${number}.ts:1`);
    expect(complainedOf(inDomain)).to.have.members(expected);
  });

  it('a fourth rule without an answer over HTTP and an answer of the commands', () => {
    const found = complaints.filter(({ message }) => /campaign-ended.*is missing.*Record</.test(message));
    expect(found.map(({ at }) => at.replace(/:\d+$/, ''))).to.have.members(answering);
  });

  it('a binding of a wrong type, what is injected as another type, and a line of the log that docs/reference/logs.md does not have', () => {
    const wrong = wiring.flatMap(([, compiles], at) => (compiles ? [] : [String(at + head.length + 1)]));
    expect([...new Set(complainedOf(inApp))]).to.deep.equal(wrong);
  });

  it('nothing else', () => {
    const planted = [inDomain, inApp, ...answering];
    expect(complaints.filter(({ at }) => !planted.some((path) => at.startsWith(path)))).to.deep.equal([]);
  });
});
