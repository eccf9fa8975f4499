import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refusals } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { blocksOf, prose, sectionsOf } from '../support/documents/blocks.ts';
import { calls, outdated } from '../support/documents/generated.ts';
import { projectFolder } from '../support/workspace.ts';

const exclude = ['docs/reference/api/**'];
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder, exclude });
const exists = (path: string) => existsSync(join(projectFolder, path));
const textOf = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
const { scripts } = JSON.parse(textOf('package.json'));
const commands = calls().map(({ words }) => ` ${words.join(' ')} `);

const markers =
  /^(?:shown: \S|scripts$|run: (?:service$|database|first terminal$|second terminal$)|answers$|rehearsed: |tested: )/;

/** Whether a link leads to a missing file or a missing section. */
function isBroken(link: string, from: string): boolean {
  const [file = '', section] = link.split('#');
  const to = file ? join(dirname(from), file) : from;
  return !exists(to) || (section !== undefined && !sectionsOf(textOf(to)).includes(section));
}

/** Whether code names a missing file, script or command. */
function isUnknown(code: string): boolean {
  if (/^(?:bench|ops|packages|test)\/[\w./-]+\.\w+$/.test(code))
    return !code.startsWith('packages/X/') && !exists(code);
  const [, run, short] = /^npm (?:run (?:--silent )?([\w:-]+)|(start|test)\b)/.exec(code) ?? [];
  const script = run ?? short;
  if (script) return !(script in scripts);
  const [, typed] = /^\.\/campaign-mirror((?: [a-z][a-z-]*)*)/.exec(code) ?? [];
  // The words after a command are arguments.
  return (
    typed !== undefined && !commands.some((one) => `${typed} `.startsWith(one) || one.startsWith(`${typed} `))
  );
}

describe('the documents agree with the code', () => {
  it('the page on logs names each reason of a refusal', () => {
    const tokens = textOf('packages/adapters-jwt/src/tokens/jwt-identity.ts').match(/(?<=')token-[\w-]+/g);
    const answered = refusals.filter(({ status }) => [401, 403, 422, 429].includes(status));
    const reasons = [...(tokens ?? []), ...answered.map(({ because }) => because)];
    expect(codeIn(textOf('docs/reference/logs.md'))).to.include.members(reasons);
  });

  it('the generated texts are up to date', async () => {
    expect([...(await outdated()).keys()], 'run npm run generate').to.deep.equal([]);
  });

  it('commands that install packages name the versions of this workspace', () => {
    const { dependencies } = JSON.parse(textOf('packages/adapters-persistence/package.json'));
    const { version } = JSON.parse(textOf('package.json'));
    const pages = [...documents, ...globSync('packages/*/README.md', { cwd: projectFolder })];
    const installed = pages
      .flatMap((path) => blocksOf(textOf(path)))
      .flatMap(({ text }) => (text.includes('npm install') ? (text.match(/\S+/g) ?? []) : []));
    const orm = installed.filter((word) => word.startsWith('@mikro-orm/'));
    expect(orm).not.to.be.empty;
    for (const word of orm) {
      const [, name = '', version] = /^(.+)@(.+)$/.exec(word) ?? [];
      expect(version, word).to.equal(dependencies[name]);
    }
    const tarballs = installed.flatMap((word) => word.match(/campaign-mirror-[\w.-]+\.tgz/g) ?? []);
    expect(tarballs).not.to.be.empty;
    for (const tarball of tarballs) expect(tarball).to.match(new RegExp(`-${version}\\.tgz$`));
  });

  for (const path of documents.sort())
    it(`${path} names blocks, scripts, links, files and commands that exist`, () => {
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
});
