import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { blocksOf, linksOf, sectionsOf, unknownCalls } from '../support/documents/readme.ts';
import { projectFolder } from '../support/workspace.ts';

const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: projectFolder }).sort();
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

describe('the documents name what there is', () => {
  it('there are documents to look at', () => {
    expect(documents).to.include.members(['README.md', 'docs/runbook.md', 'docs/reference/logs.md']);
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
    });
  }

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
