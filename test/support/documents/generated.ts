import { globSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Call as OneCall } from '../../../packages/adapters-cli/src/terminal/call.ts';
import { program } from '../../../packages/app/src/command-line/program.ts';
import { logEvents } from '../../../packages/app/src/logging/log-events.ts';
import * as all from '../../../packages/app/src/settings/settings-table.ts';
import { type Metric, metrics } from '../prometheus/metrics.ts';
import { projectFolder, read } from '../workspace.ts';

/** A command and its words. */
type Call = Readonly<{ words: readonly string[]; command: CommandUnknownOpts }>;

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };

const tree: CommandUnknownOpts = await program(
  new OneCall({ environment: {}, ...streams, signal: new AbortController().signal }),
);

/** Every command but the groups, in the order of the help. */
export function calls(root = tree, words: readonly string[] = []): Call[] {
  if (root.commands.length === 0) return [{ words, command: root }];
  return root.commands.flatMap((child) => calls(child, [...words, child.name()]));
}

/** Options of every command, which the page describes once. */
const everywhere = new Set(['--json', '--verbose', '--help', '--version']);

/** A command with its arguments and options. */
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

/** The generated documents; each function returns the new text for the present one. */
const documents: Readonly<Record<string, (now: string) => string | Promise<string>>> = {
  '.env.example': environmentExample,
  'docs/reference/api.md': async (now) => withTables(now, await exportsLists()),
  'docs/reference/command-line.md': (now) => {
    const rows = calls().map((call) => [code(usage(call)), call.command.description()]);
    return withTables(now, { commands: table(['command', 'does'], rows) });
  },
  'docs/reference/settings.md': (now) => withTables(now, settingsTables(now)),
  'docs/reference/metrics.md': (now) => withTables(now, { metrics: metricsTable() }),
  'docs/reference/logs.md': (now) => {
    const rows = Object.entries(logEvents).map(([name, when]) => [code(name), when]);
    return withTables(now, { events: table(['event', 'when'], rows) });
  },
};

/** The documents that are out of date, with their new texts. */
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

function accepts({ accepts, secret }: all.Setting): string {
  return secret ? `${accepts}; secret` : accepts;
}

/** Replaces the lines below each `<!-- generated: NAME -->`, up to an empty line. @throws Error without such a line */
function withTables(markdown: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const place = new RegExp(`(?<=^<!-- generated: ${name} -->\n)(?:.+\n)*`, 'm');
    if (!place.test(text)) throw new Error(`there is no <!-- generated: ${name} -->`);
    return text.replace(place, () => `${table}\n`);
  }, markdown);
}

/** A marker names the first setting of its table. */
function settingsTables(markdown: string): Readonly<Record<string, string>> {
  const markers = [...markdown.matchAll(/^<!-- generated: (\w+) -->$/gm)].map(([, name = '']) => name);
  const names = Object.keys(all.settings) as all.SettingName[];
  const groups = Map.groupBy(names, (name) =>
    markers.findLast((one) => names.indexOf(one as all.SettingName) <= names.indexOf(name)),
  );
  const head = ['setting', 'accepts', 'default', 'means'];
  const tables = [...groups].map(([first, members]) => [first, table(head, members.map(settingRow))]);
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

/** The metrics of the service; the others are prom-client's. */
function metricsTable(): string {
  const own = Object.values(metrics).filter(({ name }) => name.startsWith('campaign_mirror_'));
  return table(['metric', 'type', 'labels', 'means'], own.map(metricRow));
}

function metricRow({ name, type, labelNames, help, upperBounds }: Metric): string[] {
  const buckets = upperBounds ? ` Buckets: ${upperBounds.join(', ')}.` : '';
  return [code(name), type, labelNames.map(code).join(', '), `${help.replaceAll('|', '\\|')}${buckets}`];
}

/** The values that the packages export, by entry: the promised ones, and the service's own. */
async function exportsLists(): Promise<Record<string, string>> {
  const lists: Record<'promised' | 'own', string[]> = { promised: [], own: [] };
  for (const path of globSync('packages/*/package.json', { cwd: projectFolder }).sort()) {
    const { name, exports } = JSON.parse(await read(path));
    /** A name stands at the first entry that has it. */
    const listed = new Set<string>();
    for (const [entry, file] of Object.entries<string>(exports)) {
      const all = Object.keys(await import(`${projectFolder}${join(path, '..', file)}`));
      const names = all.filter((one) => !listed.has(one)).sort();
      for (const one of names) listed.add(one);
      const isOwn = /adapters-cli|(operator|service)$/.test(join(name, entry));
      lists[isOwn ? 'own' : 'promised'].push(`- ${code(join(name, entry))}: ${names.map(code).join(', ')}`);
    }
  }
  return { promised: lists.promised.join('\n'), own: lists.own.join('\n') };
}
