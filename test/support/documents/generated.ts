import { globSync, readFileSync } from 'node:fs';
import { logEvents } from '../../../packages/app/src/logging/log-events.ts';
import { type SettingName, settings } from '../../../packages/app/src/settings/settings.ts';
import { accepts, environmentExample } from '../../../packages/app/src/settings/shown.ts';
import { calls, usage } from '../commands/command-tree.ts';
import { projectFolder, read } from '../workspace.ts';
import { exportsTable } from './api.ts';
import { metricsTable } from './metrics-table.ts';

/** The documents that are made from the code, by how each is made from what it is now. */
const documents: Readonly<Record<string, (now: string) => string | Promise<string>>> = {
  '.env.example': environmentExample,
  'docs/how-to/use-the-packages.md': (now) => withTables(now, { examples: examplesTable }),
  'docs/how-to/kubernetes.md': withFiles,
  'docs/how-to/tls-proxy.md': withFiles,
  'docs/reference/api.md': async (now) => {
    const table = await exportsTable();
    return withTables(now, { exports: () => table });
  },
  'docs/reference/command-line.md': (now) => withTables(now, { commands: commandsTable }),
  'docs/reference/settings.md': (now) => withTables(now, settingsTables()),
  'docs/reference/metrics.md': (now) => withTables(now, { metrics: metricsTable }),
  'docs/reference/logs.md': (now) => withTables(now, { events: eventsTable }),
};

/** The documents that are otherwise than the code makes them, with what it makes. `text` gives the present ones. */
export async function outdated(text = read): Promise<Map<string, string>> {
  const made = Object.entries(documents).map(async ([path, make]) => {
    const now = await text(path);
    const anew = await make(now);
    return anew === now ? [] : [[path, anew] as const];
  });
  return new Map((await Promise.all(made)).flat());
}

/** A table stands below `<!-- generated: NAME -->`, up to an empty line. @throws Error where one is not there */
function withTables(markdown: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const place = new RegExp(`(?<=^<!-- generated: ${name} -->\n)(?:.+\n)*`, 'm');
    if (!place.test(text)) throw new Error(`there is no <!-- generated: ${name} -->`);
    return text.replace(place, () => `${make()}\n`);
  }, markdown);
}

/** A block below `<!-- file: PATH -->` is that file. */
function withFiles(markdown: string): string {
  const block = /(?<=^<!-- file: (\S+) -->\n```\w*\n)[\s\S]*?(?=^```$)/gm;
  return markdown.replace(block, (_, path: string) => readFileSync(`${projectFolder}${path}`, 'utf8'));
}

/** The groups of settings, by the first of each. */
const groups: Partial<Record<SettingName, string>> = {
  HOST: 'listeners',
  DATABASE_URL: 'database',
  IDENTITY: 'identity',
  MIRROR_HOST_DENYLIST: 'limits',
  LOG_LEVEL: 'process',
};

/** A table for each group. */
function settingsTables(): Readonly<Record<string, () => string>> {
  let group = '';
  const grouped = Object.groupBy(Object.keys(settings) as SettingName[], (name) => {
    group = groups[name] ?? group;
    return `settings-${group}`;
  });
  return Object.fromEntries(
    Object.entries(grouped).map(([name, members = []]) => [
      name,
      () => table(['setting', 'accepts', 'default', 'means'], members.map(settingRow)),
    ]),
  );
}

function settingRow(name: SettingName): string[] {
  const { byDefault, means } = settings[name];
  return [`\`${name}\``, accepts(settings[name]), byDefault ? `\`${byDefault}\`` : '', means];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => `| ${row.join(' | ')} |`.replaceAll('|  |', '| |'));
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

function commandsTable(): string {
  const rows = calls().map((call) => [`\`${usage(call)}\``, call.command.description()]);
  return table(['command', 'does'], rows);
}

function eventsTable(): string {
  return table(
    ['event', 'when'],
    Object.entries(logEvents).map(([name, when]) => [code([name]), when]),
  );
}

/** The worked examples, and how many lines each one's program has. */
function examplesTable(): string {
  const rows = globSync('examples/*/README.md', { cwd: projectFolder })
    .sort()
    .map((path) => {
      const folder = path.replace('/README.md', '');
      const text = (file: string) => readFileSync(`${projectFolder}${file}`, 'utf8');
      const files = globSync(`${folder}/*.ts`, { cwd: projectFolder }).filter(
        (file) => !file.endsWith('.test.ts'),
      );
      const lines = files.reduce((sum, file) => sum + text(file).trimEnd().split('\n').length, 0);
      return `| [\`${folder}\`](../../${path}) | ${text(path).split('\n')[0]?.slice(2)} | ${lines} |`;
    });
  return ['| folder | shows | lines |', '|---|---|---|', ...rows].join('\n');
}
