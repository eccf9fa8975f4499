import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../support/workspace.ts';

/** What may not be imported or used where, by the rule of biome.json that finds it. */
const planted: readonly (readonly [folder: string, rule: string, ...texts: string[]])[] = [
  [
    'packages/domain/src',
    'noRestrictedImports',
    "import { readFile } from 'node:fs';",
    "import type { Server } from 'node:http';",
    "export * from 'node:url';",
    "await import('node:fs');",
    "import { campaignId } from '@campaign-mirror/domain';",
    "import '../../adapters-http/src/index.ts';",
  ],
  ['packages/domain/src', 'noRestrictedGlobals', '(globalThis as any).console;', "new Function('return 1');"],
  ['packages/domain/src', 'noGlobalEval', "eval('1');"],
  ['packages/domain/src', 'noTsIgnore', '// @ts-ignore\nfetch();'],
  ['packages/domain/src', 'noImportCycles', "import type { Other } from './planted-cycle.ts';"],
  [
    'packages/domain/src',
    'plugin',
    'await import(`node:fs`);',
    'import.meta.url;',
    'declare const process: { env: object };',
    'declare function fetch(url: string): unknown;',
    'declare global {\n  var console: unknown;\n}',
  ],
  [
    'packages/adapters-http/src',
    'noRestrictedImports',
    "import { inject } from 'inversify';",
    "import type { Pool } from 'pg';",
    "import type { Statements } from '@campaign-mirror/adapters-persistence';",
    "import '@campaign-mirror/app';",
    "import '../../domain/src/index.ts';",
    "import '@campaign-mirror/domain/src/campaign.ts';",
    "import 'koa/lib/context.js';",
    "import { env } from 'node:process';",
  ],
  ['packages/adapters-http/src', 'noProcessEnv', 'process.env.PORT;', "process['env'];"],
  ['packages/adapters-http/src', 'noRestrictedGlobals', 'const { env } = process;', 'globalThis.process;'],
  ['packages/adapters-http/src', 'plugin', "const name = 'koa';\nawait import(name);"],
  [
    'packages/adapters-jwt/src',
    'noRestrictedImports',
    "import 'koa';",
    "import { readFile } from 'node:fs';",
    "import '@campaign-mirror/adapters-http';",
  ],
  ['packages/adapters-jwt/src', 'noRestrictedGlobals', 'process.pid;'],
  [
    'packages/adapters-persistence/src',
    'noRestrictedImports',
    "import 'koa';",
    "import '@campaign-mirror/adapters-http';",
    "import { judge } from '@campaign-mirror/domain/contracts';",
  ],
  ['packages/adapters-persistence/src', 'noUndeclaredDependencies', "import 'pg-pool';"],
  ['packages/adapters-persistence/src', 'noRestrictedGlobals', 'process.pid;'],
  [
    'packages/adapters-cli/src',
    'noRestrictedImports',
    "import { openPool } from '@campaign-mirror/adapters-persistence/sql';",
    "import { parse } from 'csv-parse/sync';",
  ],
  [
    'packages/adapters-cli/src/terminal',
    'noRestrictedImports',
    "import '../words/refusals.ts';",
    "import '../commands/operator.ts';",
    "import '../../../app/src/operator/acting.ts';",
    "import '@campaign-mirror/app';",
    "import type { Pool } from 'pg';",
    "import { env } from 'node:process';",
  ],
  ['packages/adapters-cli/src/words', 'noRestrictedImports', "import { readFile } from 'node:fs/promises';"],
  [
    'packages/adapters-cli/src/commands',
    'noRestrictedImports',
    "import '@campaign-mirror/adapters-persistence/sql';",
    "import '@campaign-mirror/adapters-http';",
    "await import('../../../app/src/operator/acting.ts');",
  ],
  [
    'packages/adapters-cli/src/import-export',
    'noRestrictedImports',
    "import '@campaign-mirror/adapters-persistence/sql';",
    "import '../index.ts';",
  ],
  ['packages/adapters-cli/src', 'noProcessEnv', 'process.env.NO_COLOR;'],
  ['packages/adapters-cli/src', 'noRestrictedGlobals', 'process.stdout;'],
  ['packages/adapters-cli/src', 'noUndeclaredDependencies', "import 'koa';"],
  [
    'packages/embedded-postgres/src',
    'noRestrictedImports',
    "import { roles } from '@campaign-mirror/adapters-persistence/sql';",
    "import { Client } from 'pg';",
    "import { spawn } from 'node:child_process';",
  ],
  [
    'packages/embedded-postgres/src/programs',
    'noRestrictedImports',
    "import type { Client } from 'pg';",
    "import '@campaign-mirror/app';",
  ],
  [
    'packages/embedded-postgres/src/cluster',
    'noRestrictedImports',
    "import '../server/database.ts';",
    "import type { Client } from 'pg';",
    "import '@campaign-mirror/domain';",
  ],
  [
    'packages/embedded-postgres/src/server',
    'noRestrictedImports',
    "import '@campaign-mirror/adapters-persistence/sql';",
    "import '../../../app/src/clear-error.ts';",
    "import '../index.ts';",
    "import 'embedded-postgres';",
  ],
  ['packages/embedded-postgres/src', 'noUndeclaredDependencies', "import 'pg-pool';"],
  ['packages/embedded-postgres/src', 'plugin', 'await import(String(1));'],
  [
    'packages/app/src/metrics',
    'noRestrictedImports',
    "import '@campaign-mirror/bench';",
    "import '@campaign-mirror/test';",
    "import '@campaign-mirror/domain/src/campaign.ts';",
    "import '@campaign-mirror/domain/contracts';",
    "import '@campaign-mirror/adapters-persistence/in-memory';",
    "import '@campaign-mirror/adapters-cli/commands/operator';",
    "import '../../../domain/src/index.ts';",
  ],
  ['packages/app/src', 'noUndeclaredDependencies', "import 'koa';"],
  ['packages/app/src', 'noSelfImport', "export * from './planted-SELF.ts';"],
  ['packages/app/src', 'plugin', 'await import(String(1));'],
  [
    'bench',
    'noRestrictedImports',
    "import '../test/support/commands/csv.ts';",
    "import '@campaign-mirror/test';",
  ],
  ['bench', 'noUndeclaredDependencies', "import 'koa-mount';"],
  ['test/project', 'noRestrictedImports', "import '../../bench/index.ts';"],
  ['test/project', 'noUndeclaredDependencies', "import 'koa-mount';"],
];

describe('architecture: who imports what', () => {
  let copy: string;
  before(async () => {
    copy = await mkdtemp(join(tmpdir(), 'campaign-mirror-lint-'));
    const biome = ['biome.json', 'test/project/computed-imports.grit', 'test/project/pure-domain.grit'];
    const names = (await readdir(`${projectFolder}packages`)).flatMap((name) =>
      ['src', 'package.json'].map((part) => `packages/${name}/${part}`),
    );
    for (const path of [...biome, 'bench/package.json', 'test/package.json', ...names]) {
      await cp(`${projectFolder}${path}`, join(copy, path), { recursive: true });
    }
  });
  after(() => rm(copy, { recursive: true, force: true }));

  /** The rules that are broken, by the files that break them. */
  const broken = () =>
    new Promise<Map<string, string[]>>((resolve, reject) => {
      const program = join(projectFolder, 'node_modules', '.bin', 'biome');
      const options = ['--vcs-enabled=false', '--max-diagnostics=none', '--reporter=rdjson'];
      execFile(program, ['lint', ...options], { cwd: copy, maxBuffer: 2 ** 24 }, (_, output, errors) => {
        if (!output.startsWith('{')) return void reject(new Error(errors));
        const { diagnostics } = JSON.parse(output) as {
          diagnostics: { code: { value: string }; location: { path: string } }[];
        };
        const byFile = Map.groupBy(diagnostics, ({ location }) => location.path);
        const rules = (found: typeof diagnostics) =>
          found.map(({ code }) => code.value.split('/').at(-1) ?? '');
        resolve(new Map([...byFile].map(([path, found]) => [path, rules(found)])));
      });
    });

  it('each rule finds its planted violations, and nothing else', async () => {
    const files = planted.flatMap(([folder, rule, ...texts], row) =>
      texts.map((text, at) => {
        const path = `${folder}/planted-${row}-${at}.ts`;
        return { path, rule, text: text.replace('planted-SELF', `planted-${row}-${at}`) };
      }),
    );
    for (const { path, text } of files) await writeFile(join(copy, path), `${text}\n`);
    const cycle = files
      .find(({ rule }) => rule === 'noImportCycles')
      ?.path.split('/')
      .at(-1);
    const closing = 'packages/domain/src/planted-cycle.ts';
    await writeFile(join(copy, closing), `export type { Other } from './${cycle}';\n`);

    const found = await broken();
    const missed = files.filter(({ path, rule }) => !found.get(path)?.includes(rule));
    expect(missed).to.deep.equal([]);
    const others = [...found.keys()].filter((path) => !files.some((file) => file.path === path));
    expect(others).to.deep.equal([closing]);
    const folders = (await readdir(`${projectFolder}packages`)).map((name) => `packages/${name}/`);
    const unplanted = folders.filter((folder) => !planted.some(([path]) => path.startsWith(folder)));
    expect(unplanted, 'a package without a rule').to.deep.equal([]);
  });
});
