import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { blocksOf, linksOf, sectionsOf, unknownCalls } from '../support/documents/blocks.ts';
import { filesIn, projectFolder } from '../support/workspace.ts';

const documents = globSync(['*.md', 'docs/**/*.md'], {
  cwd: projectFolder,
  exclude: ['docs/reference/api/**'],
}).sort();
const textOf = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const { scripts } = JSON.parse(textOf('package.json'));

/** Links that lead to no file of the project, or to no section of a document. */
function brokenLinks(from: string, markdown: string): string[] {
  return linksOf(markdown).filter((link) => {
    const [path = '', section] = link.split('#');
    const to = path ? join(dirname(from), path) : from;
    if (!existsSync(join(projectFolder, to))) return true;
    return section !== undefined && !sectionsOf(path ? textOf(to) : markdown).includes(section);
  });
}

/** Code and tests that a document names by their paths, but that there are not. */
function absentFiles(markdown: string): string[] {
  const named = [...markdown.matchAll(/`((?:bench|ops|packages|test)\/[\w./-]+\.\w+)`/g)];
  return named
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('packages/X/') && !existsSync(join(projectFolder, path)));
}

/** What code and tests cite of the contract: `contract: SECTION`, up to what cannot be part of a title. */
function citations(text: string): string[] {
  return [...text.matchAll(/\bcontract: ([a-z][a-z' ]*[a-z])/g)].map(([, section = '']) => section);
}

describe('the documents name what there is', () => {
  it('there are documents to look at', () => {
    expect(documents).to.include.members(['README.md', 'docs/runbook.md', 'docs/reference/logs.md']);
  });

  it('a file that there is not is told', () => {
    const text =
      '`test/schema/rights.test.ts`, `test/schema/no-such.test.ts`, `packages/no-such/src/index.ts`';
    expect(absentFiles(text)).to.deep.equal(['test/schema/no-such.test.ts', 'packages/no-such/src/index.ts']);
  });

  for (const document of documents) {
    it(`${document}: files, sections, scripts and commands`, () => {
      const text = textOf(document);
      expect(brokenLinks(document, text)).to.deep.equal([]);
      const calls = blocksOf(text).flatMap(
        (block) => block.text.match(/(?<!# .*)\.\/campaign-mirror[^|)\n]*/g) ?? [],
      );
      const named = `${text}\n${calls.map((line) => `\`${line}\``).join('\n')}`;
      expect(unknownCalls(named, Object.keys(scripts))).to.deep.equal([]);
      expect(absentFiles(text)).to.deep.equal([]);
    });
  }

  it('every section of the contract that code and tests cite', async () => {
    const sections = sectionsOf(textOf('docs/reference/http-contract.md')).map((one) =>
      one.replaceAll('-', ' '),
    );
    const source = (await filesIn('')).filter((path) => /^(?:packages|test)\/.*\.ts$/.test(path));
    const cited = source.flatMap((path) => citations(textOf(path)).map((section) => ({ path, section })));
    expect(cited).to.have.length.above(100);
    const unknown = cited.filter(
      ({ section }) => !sections.some((one) => section === one || section.startsWith(`${one} `)),
    );
    expect(unknown).to.deep.equal([]);
    expect(citations(`(${'contract'}: no such section)`)).to.deep.equal(['no such section']);
  });

  it('docs/runbook.md: each of its sections in its list, settings and events', () => {
    const text = textOf('docs/runbook.md');
    expect(linksOf(text)).to.include.members(sectionsOf(text).map((section) => `#${section}`));
    const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
    expect(Object.keys(settings)).to.include.members(code.filter((one) => /^[A-Z]+(?:_[A-Z]+)*$/.test(one)));
    const events = code.filter((one) => /^[a-z]+(?:-[a-z]+)+$/.test(one));
    expect(
      events.filter((event) => !textOf('docs/reference/logs.md').includes(`\`${event}\``)),
    ).to.deep.equal([]);
  });
});
