import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'chai';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { suites } from '../run/files.ts';
import { programs } from '../run/suites.ts';
import { tree } from '../support/commands/command-tree.ts';
import { blocksOf, prose, sectionsOf } from '../support/documents/blocks.ts';
import { filesIn, projectFolder } from '../support/workspace.ts';

const documents = globSync(['*.md', 'docs/**/*.md'], {
  cwd: projectFolder,
  exclude: ['docs/reference/api/**'],
});
const textOf = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const { scripts } = JSON.parse(textOf('package.json'));

/** Pages whose blocks a test of their own runs, with their markers. */
const ownMarkers: Readonly<Record<string, RegExp>> = {
  'docs/runbook.md': /^rehearsed: /,
  'docs/how-to/deploy-with-systemd.md': /^rehearsed: /,
  'docs/how-to/trace-requests.md': /^tested: /,
};
const runnable: Readonly<Record<string, RegExp>> = {
  sh: /^(?:shown: \S.*|scripts|run: service|run: database)$/,
  sql: /^(?:shown: \S.*|run: database(?:: \w+@\w+)?)$/,
  ts: /^(?:shown: \S.*|run: ts)$/,
  json: /^(?:shown: \S.*|answers)$/,
  text: /^(?:shown: \S.*|answers)$/,
};

/** Blocks that no test runs, and that do not say why. */
function unaccounted(path: string): string[] {
  return blocksOf(textOf(path))
    .filter(({ marker, language }) => !ownMarkers[path]?.test(marker) && !isAccounted(marker, language))
    .map(({ line, marker }) => `${path}:${line} '${marker}'`);
}

const isAccounted = (marker: string, language: string) => (runnable[language] ?? /^shown: \S/).test(marker);

const scriptLine = /^((?:[A-Z_]+=\S* +)*)npm (?:run ([\w:-]+)|(start|test))(?: -- ([^#]*))?\s*(?:#.*)?$/;

/** Lines of the blocks marked `scripts` that are not scripts of package.json, or set what is no setting. */
function wrongScripts(path: string): string[] {
  const lines = blocksOf(textOf(path))
    .filter(({ marker }) => marker === 'scripts')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => line !== '');
  return lines.filter((line) => {
    const [, given = '', run, short] = scriptLine.exec(line) ?? [];
    const names = [...given.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    return !((run ?? short ?? '') in scripts) || names.some((name) => !(name in settings));
  });
}

/** Links that lead to no file of the project, or to no section of a document. */
function brokenLinks(path: string): string[] {
  const links = [...prose(textOf(path)).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, to = '']) => to);
  return links
    .filter((to) => !/^[a-z]+:/.test(to))
    .filter((link) => {
      const [file = '', section] = link.split('#');
      const to = file ? join(dirname(path), file) : path;
      if (!existsSync(join(projectFolder, to))) return true;
      return section !== undefined && !sectionsOf(textOf(to)).includes(section);
    });
}

/** Code in the text, and commands in the blocks, that name what there is not: files, scripts, suites, commands. */
function unknownNames(path: string): string[] {
  const text = textOf(path);
  const code = [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
  const called = blocksOf(text).flatMap(
    (block) => block.text.match(/(?<!# .*)\.\/campaign-mirror[^|)\n]*/g) ?? [],
  );
  return [...code, ...called].filter((one) => {
    if (/^(?:bench|ops|packages|test)\/[\w./-]+\.\w+$/.test(one))
      return !one.startsWith('packages/X/') && !existsSync(join(projectFolder, one));
    const [, run, short] = /^npm (?:run ([\w:-]+)|(start|test)\b)/.exec(one) ?? [];
    if (run ?? short) return !((run ?? short ?? '') in scripts) || hasUnknownSuite(one);
    const [, words] = /^\.\/campaign-mirror((?: [a-z][a-z-]*)*)/.exec(one) ?? [];
    return words !== undefined && !isCommand(words.split(' ').filter(Boolean));
  });
}

const hasUnknownSuite = (text: string) =>
  [...text.matchAll(/--suite (\S+)/g)].some(([, name = '']) => !(name in suites) && !(name in programs));

function isCommand(words: readonly string[]): boolean {
  let command: CommandUnknownOpts | undefined = tree;
  for (const word of words) {
    // What follows is an argument.
    if (command.commands.length === 0) return true;
    command = command.commands.find((one) => one.name() === word);
    if (!command) return false;
  }
  return true;
}

describe('the documents name what there is', () => {
  for (const path of documents.sort()) {
    it(`${path}: blocks, scripts, links, files and commands`, () => {
      expect(unaccounted(path), 'blocks').to.deep.equal([]);
      expect(wrongScripts(path), 'scripts').to.deep.equal([]);
      expect(hasUnknownSuite(textOf(path).replaceAll('`', ' ')), 'suites').to.equal(false);
      expect(brokenLinks(path), 'links').to.deep.equal([]);
      expect(unknownNames(path), 'names').to.deep.equal([]);
    });
  }

  it('every section of the contract that code and tests cite', async () => {
    const sections = sectionsOf(textOf('docs/reference/http-contract.md')).map((one) =>
      one.replaceAll('-', ' '),
    );
    const source = (await filesIn('')).filter((path) => /^(?:packages|test)\/.*\.ts$/.test(path));
    const cited = source.flatMap((path) =>
      [...textOf(path).matchAll(/\bcontract: ([a-z][a-z' ]*[a-z])/g)].map(([, section = '']) => section),
    );
    expect(cited).not.to.have.length(0);
    const isThere = (cite: string) => sections.some((one) => cite === one || cite.startsWith(`${one} `));
    expect(cited.filter((one) => !isThere(one))).to.deep.equal([]);
  });

  it('docs/runbook.md: settings and events', () => {
    const code = [...textOf('docs/runbook.md').matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
    expect(Object.keys(settings)).to.include.members(code.filter((one) => /^[A-Z]+(?:_[A-Z]+)*$/.test(one)));
    const log = textOf('docs/reference/logs.md');
    const events = code.filter((one) => /^[a-z]+(?:-[a-z]+)+$/.test(one));
    expect(events.filter((event) => !log.includes(`\`${event}\``))).to.deep.equal([]);
  });
});
