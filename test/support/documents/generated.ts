import { globSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import ts from 'typescript';
import { Call as OneCall } from '../../../packages/adapters-cli/src/terminal/call.ts';
import { program } from '../../../packages/app/src/command-line/program.ts';
import { logEvents } from '../../../packages/app/src/logging/log-events.ts';
import * as all from '../../../packages/app/src/settings/settings-table.ts';
import { type Metric, metrics } from '../prometheus/metrics.ts';
import { projectFolder, read } from '../workspace.ts';

/** A command that does something, and how it is called. */
interface Call {
  readonly words: readonly string[];
  readonly command: CommandUnknownOpts;
}

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };

export const tree: CommandUnknownOpts = await program(
  new OneCall({ environment: {}, ...streams, signal: new AbortController().signal }),
);

/** Every command that does something, in the order of the help. */
export function calls(root = tree, words: readonly string[] = []): Call[] {
  if (root.commands.length === 0) return [{ words, command: root }];
  return root.commands.flatMap((child) => calls(child, [...words, child.name()]));
}

/** Options that every command has: they are described once. */
const everywhere = new Set(['--json', '--verbose', '--help', '--version']);

/** Its words, arguments and options, as README.md shows them. */
function usage({ words, command: { registeredArguments, options } }: Call): string {
  const given = registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const chosen = options
    .filter((one) => !one.hidden && !everywhere.has(one.long ?? ''))
    .map((one) => (one.mandatory ? one.flags : `[${one.flags}]`));
  return [...words, ...given, ...chosen].join(' ').replaceAll('|', '\\|');
}

/** The documents that are made from the code, by how each is made from what it is now. */
const documents: Readonly<Record<string, (now: string) => string | Promise<string>>> = {
  '.env.example': environmentExample,
  'docs/reference/api.md': async (now) => withTables(now, await exportsLists()),
  'docs/reference/command-line.md': (now) => {
    const rows = calls().map((call) => [code(usage(call)), call.command.description()]);
    return withTables(now, { commands: () => table(['command', 'does'], rows) });
  },
  'docs/reference/settings.md': (now) => withTables(now, settingsTables(now)),
  'docs/reference/metrics.md': (now) => withTables(now, { metrics: metricsTable }),
  'docs/reference/logs.md': (now) => {
    const rows = Object.entries(logEvents).map(([name, when]) => [code(name), when]);
    return withTables(now, { events: () => table(['event', 'when'], rows) });
  },
};

/** The documents that differ from what the code makes, with what it makes. */
export async function outdated(): Promise<Map<string, string>> {
  const made = Object.entries(documents).map(async ([path, make]) => {
    const now = await read(path);
    const anew = await make(now);
    return anew === now ? [] : [[path, anew] as const];
  });
  return new Map((await Promise.all(made)).flat());
}

function environmentExample(): string {
  const rows = Object.entries(all.settings).map(
    ([name, setting]) => `
${wrapped(`${setting.means} (${accepts(setting)})`)}
#${name}=${setting.byDefault ?? ''}
`,
  );
  return `# Every setting of Campaign Mirror, with its default. Remove the # before a name to set it.
# The service and the commands read the file that ENVIRONMENT_FILE names, as Node reads --env-file. systemd
# (EnvironmentFile=) and docker (--env-file) read it alike if no value has quotes, a #, a backslash, or blanks at its ends.
# A secret may be in a file instead, which NAME_FILE names.
# Made by: npm run generate
${rows.join('')}`;
}

function wrapped(text: string): string {
  const lines = text.replaceAll('`', '').matchAll(/(.{1,98})(?: |$)/g);
  return Array.from(lines, ([, line]) => `# ${line}`).join('\n');
}

/** In words, such as `a whole number from 0 to 65535`. */
function accepts({ accepts, secret }: all.Setting): string {
  return secret ? `${accepts}; secret` : accepts;
}

/** A table stands below `<!-- generated: NAME -->`, up to an empty line. @throws Error if one is not there */
function withTables(markdown: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const place = new RegExp(`(?<=^<!-- generated: ${name} -->\n)(?:.+\n)*`, 'm');
    if (!place.test(text)) throw new Error(`there is no <!-- generated: ${name} -->`);
    return text.replace(place, () => `${make()}\n`);
  }, markdown);
}

/** A table from each setting that a marker names up to the next of these. */
function settingsTables(markdown: string): Readonly<Record<string, () => string>> {
  const markers = [...markdown.matchAll(/^<!-- generated: (\w+) -->$/gm)].map(([, name = '']) => name);
  const names = Object.keys(all.settings) as all.SettingName[];
  const groups = Map.groupBy(names, (name) =>
    markers.findLast((one) => names.indexOf(one as all.SettingName) <= names.indexOf(name)),
  );
  const head = ['setting', 'accepts', 'default', 'means'];
  const tables = [...groups].map(([first, members]) => [first, () => table(head, members.map(settingRow))]);
  return Object.fromEntries(tables);
}

function settingRow(name: all.SettingName): string[] {
  const { byDefault, means } = all.settings[name];
  return [code(name), accepts(all.settings[name]), byDefault ? code(byDefault) : '', means];
}

const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => `| ${row.join(' | ')} |`.replaceAll('|  |', '| |'));
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

/** Those of the service: the others are prom-client's. */
function metricsTable(): string {
  const own = Object.values(metrics).filter(({ name }) => name.startsWith('campaign_mirror_'));
  return table(['metric', 'type', 'labels', 'means'], own.map(metricRow));
}

function metricRow({ name, type, labelNames, help, upperBounds }: Metric): string[] {
  const buckets = upperBounds ? ` Buckets: ${upperBounds.join(', ')}.` : '';
  return [code(name), type, labelNames.map(code).join(', '), `${help.replaceAll('|', '\\|')}${buckets}`];
}

/** Who needs a name, by its entry and the file that declares it: the first that fits. Each has a list in the page. */
const readers = {
  own: /^(?:adapters-cli|[\w-]+\/(?:operator|service) )/,
  adapters: /^(?:domain .+\/(?:campaign-repository|identity)\.ts$|port-contracts)/,
  call: /^domain /,
  server: /^adapters-(?:http|jwt)/,
  store: /^adapters-persistence /,
  service: /^app /,
  database: /^embedded-postgres /,
};

/** For each reader, the names that the packages export, by entry. A name is listed at the first entry that has it. */
async function exportsLists(): Promise<Record<string, () => string>> {
  const files = new Map<string, string>();
  for (const path of globSync('packages/*/package.json', { cwd: projectFolder }).sort()) {
    const { name, exports, publishConfig } = JSON.parse(await read(path));
    for (const [entry, file] of Object.entries<string>(publishConfig ? exports : {}))
      files.set(join(name, entry), join(projectFolder, path, '..', file));
  }
  const options = {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    types: [],
    noLib: true,
  };
  // Without what others export, which takes most of the time.
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (all, from) =>
    all.map(({ text }) =>
      /^(\.|@campaign-mirror\/)/.test(text)
        ? ts.resolveModuleName(text, from, options, host)
        : { resolvedModule: undefined },
    );
  const program = ts.createProgram([...files.values()], options, host);
  const checker = program.getTypeChecker();
  const symbols = new Map<ts.Symbol, string>();
  for (const [entry, file] of files) {
    const source = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
    for (const one of checker.getExportsOfModule(source).map((symbol) => declared(symbol, checker)))
      if (!symbols.has(one)) symbols.set(one, entry);
  }
  const bare = [...symbols.keys()].filter((one) => one.getDocumentationComment(checker).length === 0);
  if (bare.length > 0) throw new Error(`exported without a comment: ${bare.map(({ name }) => name)}`);
  const byReader = Map.groupBy(symbols, ([symbol, entry]) => readerOf(symbol, entry));
  const lists = [...byReader].map(([reader, named]) => {
    const byEntry = Map.groupBy(named, ([, entry]) => entry);
    const lines = [...byEntry].map(([entry, all]) => `- ${code(entry)}: ${listed(all.map(([one]) => one))}`);
    return [reader, () => lines.join('\n')] as const;
  });
  return Object.fromEntries(lists);
}

function readerOf({ declarations: [declaration] = [] }: ts.Symbol, entry: string): string {
  const place = `${entry.replace('@campaign-mirror/', '')} ${declaration?.getSourceFile().fileName}`;
  const [reader] = Object.entries(readers).find(([, places]) => places.test(place)) ?? [];
  if (reader === undefined) throw new Error(`nobody needs what is exported by ${place}`);
  return reader;
}

/** What there is at run time, then the types. */
function listed(symbols: readonly ts.Symbol[]): string {
  const { true: values = [], false: types = [] } = Object.groupBy(symbols, ({ flags }) =>
    String((flags & ts.SymbolFlags.Value) !== 0),
  );
  const names = (all: readonly ts.Symbol[]) => {
    const sorted = all.map(({ name }) => name).sort();
    return sorted.map(code).join(', ');
  };
  const parts = [names(values), types.length > 0 ? `types ${names(types)}` : ''];
  return parts.filter((part) => part !== '').join('; ');
}

const declared = (symbol: ts.Symbol, checker: ts.TypeChecker) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
