import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusals } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { blocksOf, prose, sectionsOf } from '../support/documents/blocks.ts';
import { calls, outdated } from '../support/documents/generated.ts';
import { projectFolder } from '../support/workspace.ts';

const documents = globSync(['*.md', 'docs/**/*.md'], {
  cwd: projectFolder,
  exclude: ['docs/reference/api/**'],
});
const isThere = (path: string) => existsSync(join(projectFolder, path));
const textOf = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
const { scripts } = JSON.parse(textOf('package.json'));
const commands = calls().map(({ words }) => ` ${words.join(' ')} `);

/** What a test does with a block, which `blocks.ts` tells. */
const markers =
  /^(?:shown: \S|scripts$|run: (?:service$|database|first terminal$|second terminal$)|answers$|rehearsed: |tested: )/;

/** Whether a link leads to no file of the project, or to no section of a document. */
function isBroken(link: string, from: string): boolean {
  const [file = '', section] = link.split('#');
  const to = file ? join(dirname(from), file) : from;
  return !isThere(to) || (section !== undefined && !sectionsOf(textOf(to)).includes(section));
}

/** Whether code names a file, a script or a command that there is not. */
function isUnknown(code: string): boolean {
  if (/^(?:bench|ops|packages|test)\/[\w./-]+\.\w+$/.test(code))
    return !code.startsWith('packages/X/') && !isThere(code);
  const [, run, short] = /^npm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/.exec(code) ?? [];
  const script = run ?? short;
  if (script) return !(script in scripts);
  const [, typed] = /^\.\/campaign-mirror((?: [a-z][a-z-]*)*)/.exec(code) ?? [];
  if (typed === undefined) return false;
  // What follows a command is an argument.
  return !commands.some((one) => `${typed} `.startsWith(one) || one.startsWith(`${typed} `));
}

it('the log’s page names each reason of a refused key, token, rule, address and limit', () => {
  const tokens = textOf('packages/adapters-jwt/src/tokens/jwt-identity.ts').match(/'token-[\w-]+'/g) ?? [];
  const answered = refusals.filter(({ status }) => [401, 403, 422, 429].includes(status));
  const reasons = [...tokens.map((one) => one.slice(1, -1)), ...answered.map(({ because }) => because)];
  expect(codeIn(textOf('docs/reference/logs.md'))).to.include.members(reasons);
});

it('what is made from the code is what it makes', async () => {
  expect([...(await outdated()).keys()], 'run npm run generate').to.deep.equal([]);
});

it('what is installed together is named with the versions of this workspace', () => {
  const { dependencies } = JSON.parse(textOf('packages/adapters-persistence/package.json'));
  const { version } = JSON.parse(textOf('package.json'));
  const orm = ['core', 'migrations', 'postgresql'].map((part) => `@mikro-orm/${part}`);
  const named = orm.map((name) => `${name}@${dependencies[name]}`);
  const pages = [...documents, ...globSync('packages/*/README.md', { cwd: projectFolder })];
  const commands = pages
    .flatMap((path) => blocksOf(textOf(path)))
    .filter(({ text }) => /npm install/.test(text));
  const withOrm = commands.filter(({ text }) => text.includes('@mikro-orm/'));
  expect(withOrm).to.have.length(3);
  for (const { text } of withOrm) expect(text.match(/@mikro-orm\/\S+/g)).to.deep.equal(named);
  const tarballs = commands.flatMap(({ text }) => text.match(/campaign-mirror-[\w.-]+\.tgz/g) ?? []);
  expect(tarballs).not.to.be.empty;
  expect(tarballs.filter((tarball) => !tarball.endsWith(`-${version}.tgz`))).to.deep.equal([]);
});

describe('the documents name what there is', () => {
  for (const path of documents.sort()) {
    it(`${path}: blocks, scripts, links, files and commands`, () => {
      const text = textOf(path);
      const blocks = blocksOf(text);
      for (const { marker, line } of blocks) expect(marker, `line ${line}`).to.match(markers);
      const links = [...prose(text).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, to = '']) => to);
      const own = links.filter((link) => !/^[a-z]+:/.test(link));
      expect(own.filter((link) => isBroken(link, path))).to.deep.equal([]);
      const called = blocks.flatMap(
        (block) =>
          block.text.match(/(?<!# .*)(?:\.\/campaign-mirror|\bnpm (?:run|start|test))[^|)\n]*/g) ?? [],
      );
      expect([...codeIn(prose(text)), ...called].filter(isUnknown)).to.deep.equal([]);
    });
  }
});
