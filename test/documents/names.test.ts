import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect } from 'chai';
import { settings } from '../../packages/app/src/settings/settings.ts';
import { programs, suites } from '../run/suites.ts';
import { tree } from '../support/commands/command-tree.ts';
import { blocksOf, prose, sectionsOf } from '../support/documents/blocks.ts';
import { outdated } from '../support/documents/generated.ts';
import { projectFolder } from '../support/workspace.ts';

const documents = globSync(['*.md', 'docs/**/*.md'], {
  cwd: projectFolder,
  exclude: ['docs/reference/api/**'],
});
const isThere = (path: string) => existsSync(join(projectFolder, path));
const textOf = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, one = '']) => one);
const { scripts } = JSON.parse(textOf('package.json'));

/** The markers with which a test runs a block, by its language. */
const accounts: Readonly<Record<string, RegExp>> = {
  sh: /^(?:scripts|run: service|run: database)$/,
  sql: /^run: database(?:: \w+@\w+)?$/,
  json: /^answers$/,
  text: /^answers$/,
};
/** Pages that have a test of their own, with the markers that it knows. */
const ownMarkers: Readonly<Record<string, RegExp>> = {
  'docs/runbook.md': /^rehearsed: /,
  'docs/how-to/deploy-with-systemd.md': /^rehearsed: /,
  'docs/how-to/trace-requests.md': /^tested: /,
};

/** Lines of a block marked `scripts` that are not scripts of package.json, or set what is no setting. */
const wrongScripts = (text: string) =>
  text.split('\n').filter((line) => {
    const [, given = '', run, short] =
      /^((?:[A-Z_]+=\S* +)*)npm (?:run ([\w:-]+)|(start|test))(?: -- [^#]*)?\s*(?:#.*)?$/.exec(line) ?? [];
    const names = [...given.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    return line !== '' && (!((run ?? short ?? '') in scripts) || names.some((name) => !(name in settings)));
  });

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
  const [, run, short] = /^npm (?:run ([\w:-]+)|(start|test)\b)/.exec(code) ?? [];
  const script = run ?? short;
  if (script) return !(script in scripts);
  let command: CommandUnknownOpts | undefined = tree;
  for (const [, word] of (/^\.\/campaign-mirror((?: [a-z][a-z-]*)*)/.exec(code)?.[1] ?? '').matchAll(
    / (\S+)/g,
  )) {
    // What follows is an argument.
    if (command.commands.length === 0) return false;
    command = command.commands.find((one) => one.name() === word);
    if (!command) return true;
  }
  return false;
}

it('what is made from the code is what it makes', async () => {
  expect([...(await outdated()).keys()], 'run npm run generate').to.deep.equal([]);
});

describe('the documents name what there is', () => {
  for (const path of documents.sort()) {
    it(`${path}: blocks, scripts, links, files and commands`, () => {
      const text = textOf(path);
      const blocks = blocksOf(text);
      for (const { marker, language, line, text } of blocks) {
        const isAccounted = [/^shown: \S/, accounts[language], ownMarkers[path]].some((one) =>
          one?.test(marker),
        );
        expect(isAccounted, `line ${line}: a block of ${language} marked '${marker}'`).to.equal(true);
        if (marker === 'scripts') expect(wrongScripts(text)).to.deep.equal([]);
      }
      const links = [...prose(text).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, to = '']) => to);
      const own = links.filter((link) => !/^[a-z]+:/.test(link));
      expect(own.filter((link) => isBroken(link, path))).to.deep.equal([]);
      const called = blocks.flatMap(
        (block) => block.text.match(/(?<!# .*)\.\/campaign-mirror[^|)\n]*/g) ?? [],
      );
      expect([...codeIn(prose(text)), ...called].filter(isUnknown)).to.deep.equal([]);
      const named = [...text.matchAll(/--suite\s([a-z]+)/g)].map(([, name = '']) => name);
      expect(named.filter((name) => !(name in suites) && !(name in programs))).to.deep.equal([]);
    });
  }

  it('docs/runbook.md: settings and events', () => {
    const code = codeIn(textOf('docs/runbook.md'));
    expect(Object.keys(settings)).to.include.members(code.filter((one) => /^[A-Z]+(?:_[A-Z]+)*$/.test(one)));
    const events = code.filter((one) => /^[a-z]+(?:-[a-z]+)+$/.test(one));
    expect(codeIn(textOf('docs/reference/logs.md'))).to.include.members(events);
  });
});
