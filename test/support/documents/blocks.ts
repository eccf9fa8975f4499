/**
 * The code blocks of the documents, and how a test may account for them. Each fenced block has a marker, an HTML comment
 * on the last line before it (an empty line between the two is fine); a block without one fails the test.
 *
 * | marker | block | what the test does |
 * |---|---|---|
 * | `<!-- shown: REASON -->` | any | nothing; the reason is required |
 * | `<!-- file: PATH -->` | any | nothing: `npm run generate` makes it that file of the project |
 * | `<!-- scripts -->` | `sh` | each line must be `npm start`, `npm test` or `npm run NAME`, of a script that package.json has; settings may stand before it (`PORT=8080 npm start`), a comment after it |
 * | `<!-- run: service -->` | `sh` | runs it by `sh -e` in the project's folder, with the service running |
 * | `<!-- run: database -->` | `sql`, `sh` | runs it on a PostgreSQL server that has nothing of ours yet, in its database `postgres`, as the superuser |
 * | `<!-- run: database: ROLE -->` | `sql` | runs it on the database of the running service, as the superuser or our `owner`, `operator` or `service` |
 * | `<!-- run: database: ROLE@DATABASE -->` | `sql` | runs it on the server that had nothing of ours, as that role, in that database |
 * | `<!-- run: ts -->` | `ts` | writes it to a file inside test/, type-checks it, and runs it, which has to end with 0 |
 * | `<!-- answers -->` | `text`, `json` | what the block before prints (standard output); `…` stands for anything. Of `json` the white space does not matter, of rows of SQL (as psql shows them) how wide the columns are |
 *
 * Documents run in the order of their paths, blocks in their order. The service has the demonstration set, on an embedded database in a folder of its own that
 * `./campaign-mirror` finds too; http://127.0.0.1:3000 and :3001 are replaced by where it listens. `$KEY` is a key and
 * `$CAMPAIGN` a campaign of its owner with a mirror; variables that a `sh` block sets are known to the next one.
 * In `sh` with `run: database`, host and port of `postgres://user:password@host:port/name` are replaced by that server's.
 *
 * In the text between the blocks, code such as `npm run NAME` or `./campaign-mirror key issue` names what there is, and
 * links lead to files that there are.
 */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { settings } from '../../../packages/app/src/settings/settings.ts';
import { suites } from '../../run/files.ts';
import { programs } from '../../run/suites.ts';
import { tree } from '../commands/command-tree.ts';

export interface Block {
  /** Of its first fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** What stands in the comment before it. */
  readonly marker: string | undefined;
}

export type Account =
  | { readonly kind: 'shown' | 'file' | 'scripts' | 'service' | 'ts' | 'answers' }
  | { readonly kind: 'database'; readonly role?: string; readonly database?: string };

/** @throws SyntaxError for a block without an end */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let marker: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, fence, language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (fence) {
      const end = lines.findIndex((one, later) => later > at && one.trim() === fence);
      if (end === -1) throw new SyntaxError(`line ${at + 1}: the block has no end`);
      blocks.push({ line: at + 1, language, text: lines.slice(at + 1, end).join('\n'), marker });
      at = end;
      marker = undefined;
    } else if (line.trim() !== '') {
      marker = /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(line)?.[1];
    }
  }
  return blocks;
}

const accounts: readonly { marker: RegExp; languages?: readonly string[]; is: Account['kind'] }[] = [
  { marker: /^shown: \S/, is: 'shown' },
  { marker: /^file: \S+$/, is: 'file' },
  { marker: /^scripts$/, languages: ['sh'], is: 'scripts' },
  { marker: /^run: service$/, languages: ['sh'], is: 'service' },
  { marker: /^run: database$/, languages: ['sql', 'sh'], is: 'database' },
  { marker: /^run: database: (\w+)(?:@(\w+))?$/, languages: ['sql'], is: 'database' },
  { marker: /^run: ts$/, languages: ['ts'], is: 'ts' },
  { marker: /^answers$/, languages: ['text', 'json'], is: 'answers' },
];

/** How a block is accounted for; undefined where it is not. */
export function accountOf({ marker = '', language }: Block): Account | undefined {
  for (const { marker: pattern, languages, is } of accounts) {
    const match = pattern.exec(marker);
    if (!match || (languages && !languages.includes(language))) continue;
    const [, role, database] = match;
    return is === 'database'
      ? { kind: is, ...(role && { role }), ...(database && { database }) }
      : { kind: is };
  }
  return undefined;
}

/** Every block of a document that is not accounted for, or calls for what there is not. `scripts` are package.json's. */
export function unaccounted(markdown: string, scripts: readonly string[], path: string): string[] {
  return blocksOf(markdown).flatMap((block, at, all) => {
    const where = `${path}:${block.line}`;
    const account = accountOf(block);
    if (!account) {
      const marker = block.marker === undefined ? 'no marker' : `the marker '${block.marker}'`;
      return [`${where} a block of ${block.language || 'no language'} with ${marker}`];
    }
    const before = all[at - 1] && accountOf(all[at - 1] as Block);
    if (account.kind === 'answers' && !isRun(before)) return [`${where} answers to a block that is not run`];
    if (account.kind === 'scripts') {
      return block.text.split('\n').flatMap((line) => scriptFault(line, scripts, where));
    }
    return [];
  });
}

export function isRun(account: Account | undefined): boolean {
  return account !== undefined && !['shown', 'file', 'scripts', 'answers'].includes(account.kind);
}

const scriptLine = /^((?:[A-Z_]+=\S* +)*)npm (?:run ([\w:-]+)|(start|test))(?: -- ([^#]*))?\s*(?:#.*)?$/;

function scriptFault(line: string, scripts: readonly string[], where: string): string[] {
  if (/^\s*(?:#.*)?$/.test(line)) return [];
  const match = scriptLine.exec(line);
  if (!match) return [`${where} '${line}' is not npm start, npm test or npm run NAME`];
  const [, given = '', run, short, words = ''] = match;
  const script = run ?? short ?? '';
  const unknown = [...given.matchAll(/([A-Z_]+)=/g)].filter(
    ([, name = '']) => !(name in settings) && !name.startsWith('TEST_'),
  );
  return [
    ...(scripts.includes(script) ? [] : [`${where} there is no script ${script}`]),
    ...unknownSuites(words).map((name) => `${where} there is no suite ${name}`),
    ...unknown.map(([, name]) => `${where} there is no setting ${name}`),
  ];
}

function unknownSuites(words: string): string[] {
  return [...words.matchAll(/--suite (\S+)/g)].flatMap(([, name = '']) =>
    name in suites || name in programs ? [] : [name],
  );
}

/** Code between the blocks that calls what there is not. */
export function unknownCalls(markdown: string, scripts: readonly string[]): string[] {
  return [...prose(markdown).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => {
    const script = /^npm (?:run ([\w:-]+)|(start|test)\b)/.exec(code);
    if (script) {
      const name = script[1] ?? script[2] ?? '';
      if (!scripts.includes(name)) return [`\`${code}\`: there is no script ${name}`];
      return unknownSuites(code).map((suite) => `\`${code}\`: there is no suite ${suite}`);
    }
    const [, words] = /^\.\/campaign-mirror((?: [a-z][a-z-]*)*)/.exec(code) ?? [];
    return words === undefined || isCommand(words.trim().split(' ').filter(Boolean))
      ? []
      : [`\`${code}\`: there is no such command`];
  });
}

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

/** Where links of the project's own lead: `FILE`, `FILE#SECTION` or `#SECTION`. */
export function linksOf(markdown: string): string[] {
  return [...prose(markdown).matchAll(/\]\(([^)\s]+)[^)]*\)/g)].flatMap(([, to = '']) =>
    /^[a-z]+:/.test(to) ? [] : [to],
  );
}

/** How links name the sections. */
export function sectionsOf(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#{2,} (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

function prose(markdown: string): string {
  return markdown.replace(/^\s*(`{3,}|~{3,}).*\n[\s\S]*?^\s*\1\s*$/gm, '');
}

/** Whether a text is what a block with `<!-- answers -->` shows; `rows` are those of SQL. */
export function isAnswer(expected: Block, actual: string, rows = false): boolean {
  const plain = (text: string) => {
    if (expected.language === 'json') return withoutSpace(text);
    const lines = text.replaceAll('\r', '').trim().split('\n');
    return lines.map((line) => (rows ? narrow(line) : line.trimEnd())).join('\n');
  };
  const pattern = plain(expected.text)
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^]*?');
  return new RegExp(`^${pattern}$`).test(plain(actual));
}

/** JSON without the white space that is in none of its strings. */
function withoutSpace(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text?: string) => text ?? '');
}

function narrow(row: string): string {
  const line = row.trim().replace(/\s+/g, ' ');
  return /^[-+]+$/.test(line) ? line.replace(/-+/g, '-') : line;
}
