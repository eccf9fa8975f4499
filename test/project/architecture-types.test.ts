import { expect } from 'chai';
import { read } from '../support/workspace.ts';
import { type Complaint, WorkspaceCopy } from '../support/workspace-copy.ts';

describe('decisions: architecture — what does not compile', () => {
  let copy: WorkspaceCopy;
  afterEach(() => copy.remove());

  /** The lines that are complained about in each of the planted files. */
  const linesOf = (complaints: readonly Complaint[], path: string) =>
    complaints.filter((one) => one.path === path).map(({ line }) => line);

  it('the platform in the domain: each of its globals and modules is an error, and the domain has none', async () => {
    const platform = {
      module: "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
      process: '\nexport const x = process.pid;',
      environment: '\nexport const x = process.env;',
      fetch: "\nexport const x = fetch('http://127.0.0.1/');",
      console: "\nconsole.log('x');\nexport {};",
      timer: '\nsetTimeout(() => {}, 1);\nexport {};',
      buffer: "\nexport const x = Buffer.from('x');",
      document: '\nexport const x = document.title;',
      crypto: '\nexport const x = crypto.randomUUID();',
      performance: '\nexport const x = performance.now();',
      require: "\nexport const x = require('fs');",
      url: "\nexport const x = new URL('http://127.0.0.1/');",
      decoder: '\nexport const x = new TextDecoder();',
    };
    copy = await WorkspaceCopy.of('domain');
    expect(await copy.compile('domain'), 'the domain as it is').to.deep.equal([]);

    for (const [name, text] of Object.entries(platform)) {
      await copy.plant(`packages/domain/src/planted-${name}.ts`, text);
    }
    const complaints = await copy.compile('domain');
    for (const name of Object.keys(platform)) {
      const path = `packages/domain/src/planted-${name}.ts`;
      expect(linesOf(complaints, path), path).to.deep.equal([name === 'module' ? 1 : 2]);
    }
    expect(complaints).to.have.length(Object.keys(platform).length);
  });

  it('a fourth rule without an answer in the HTTP adapter, and without a word in its document', async () => {
    copy = await WorkspaceCopy.of('domain', 'adapters-http');
    const path = 'packages/domain/src/authorization-rules.ts';
    const rules = await read(path);
    const fourth = "  { refusal: 'campaign-ended', rule: 'It has ended.', holds: () => true },\n] as const;";
    await copy.plant(path, rules.replace('] as const;', fourth));

    const complaints = await copy.compile('adapters-http');
    expect(complaints.map(({ path: where }) => where)).to.have.members([
      'packages/adapters-http/src/documented-answers.ts',
      'packages/adapters-http/src/replies.ts',
    ]);
    for (const { message } of complaints) {
      expect(message)
        .to.match(/campaign-ended.*is missing/)
        .and.to.include('Record<');
    }
  });

  it('a binding of a wrong type, what is injected as another type, and a line of the log that LOGS.md does not have', async () => {
    const path = 'packages/app/src/planted.ts';
    const bindings: readonly (readonly [line: string, compiles: boolean])[] = [
      [
        'bind(tokens.identity).toResolvedValue((h: HotPath) => new PostgresIdentity(h), [tokens.hotPath]);',
        true,
      ],
      [
        'bind(tokens.campaigns).toResolvedValue((h: HotPath) => new PostgresIdentity(h), [tokens.hotPath]);',
        false,
      ],
      [
        'bind(tokens.identity).toResolvedValue((h: HotPath) => new PostgresIdentity(h), [tokens.settings]);',
        false,
      ],
      ['bind(tokens.identity).toResolvedValue((h: HotPath) => new PostgresIdentity(h), []);', false],
      ['bind(tokens.campaigns).toConstantValue(new InMemoryCampaigns(new InMemoryStore()));', true],
      ['bind(tokens.campaigns).toConstantValue({});', false],
      ['container.get(tokens.campaigns).find(1 as CampaignId);', true],
      ['container.get(tokens.campaigns).whoIs;', false],
      ['const unread: never = container.get(tokens.settings);', false],
      ["container.get(tokens.log).info({ event: 'stopped' }, '');", true],
      ["container.get(tokens.log).info({ event: 'unheard-of' }, '');", false],
      ["container.get(tokens.log).warn({ event: 'stopped' }, '');", false],
      ["container.get(tokens.log).info({ event: 'stopped', why: 1 }, '');", false],
      ["container.get(tokens.log).info({ event: 'restarted' }, '');", false],
    ];
    const imports = [
      "import { type HotPath, PostgresIdentity } from '@campaign-mirror/adapters-persistence';",
      "import { InMemoryCampaigns, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';",
      "import type { CampaignId } from '@campaign-mirror/domain';",
      "import { Container, ContainerModule } from 'inversify';",
      "import { tokens } from './tokens.ts';",
      'export const container = new Container();',
      'export const planted = new ContainerModule(({ bind }) => {',
    ];
    copy = await WorkspaceCopy.of('domain', 'adapters-http', 'adapters-persistence', 'app');
    await copy.plant(path, [...imports, ...bindings.map(([line]) => line), 'void unread; });'].join('\n'));

    const complained = new Set(
      linesOf(await copy.compile('app'), path).map((line) => line - imports.length - 1),
    );
    const expected = bindings.flatMap(([, compiles], at) => (compiles ? [] : [at]));
    expect([...complained]).to.deep.equal(expected);
  });
});
