import { logEvents } from '../../../packages/app/src/logging/log-events.ts';
import { type SettingName, settings } from '../../../packages/app/src/settings/settings.ts';
import { accepts, environmentExample } from '../../../packages/app/src/settings/shown.ts';
import { calls, usage } from '../commands/command-tree.ts';
import { type Metric, metrics } from '../prometheus/all-metrics.ts';
import { read } from '../workspace.ts';
import { exportsList } from './api.ts';

/** The documents that are made from the code, by how each is made from what it is now. */
const documents: Readonly<Record<string, (now: string) => string | Promise<string>>> = {
  '.env.example': environmentExample,
  'docs/reference/api.md': async (now) => {
    const list = await exportsList();
    return withTables(now, { exports: () => list });
  },
  'docs/reference/command-line.md': (now) => withTables(now, { commands: commandsTable }),
  'docs/reference/settings.md': (now) => withTables(now, settingsTables()),
  'docs/reference/metrics.md': (now) => withTables(now, { metrics: metricsTable }),
  'docs/reference/logs.md': (now) => withTables(now, { events: eventsTable }),
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

/** A table stands below `<!-- generated: NAME -->`, up to an empty line. @throws Error where one is not there */
function withTables(markdown: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const place = new RegExp(`(?<=^<!-- generated: ${name} -->\n)(?:.+\n)*`, 'm');
    if (!place.test(text)) throw new Error(`there is no <!-- generated: ${name} -->`);
    return text.replace(place, () => `${make()}\n`);
  }, markdown);
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

function commandsTable(): string {
  const rows = calls().map((call) => [`\`${usage(call)}\``, call.command.description()]);
  return table(['command', 'does'], rows);
}

function eventsTable(): string {
  const rows = Object.entries(logEvents).map(([name, when]) => [`\`${name}\``, when]);
  return table(['event', 'when'], rows);
}

/** Those of the service: the others are prom-client's. */
function metricsTable(): string {
  const own = Object.values(metrics).filter(({ name }) => name.startsWith('campaign_mirror_'));
  return table(['metric', 'type', 'labels', 'means'], own.map(metricRow));
}

function metricRow({ name, type, labelNames, help, upperBounds }: Metric): string[] {
  const buckets = upperBounds ? ` Buckets: ${upperBounds.join(', ')}.` : '';
  const labels = labelNames.map((label) => `\`${label}\``).join(', ');
  return [`\`${name}\``, type, labels, `${help.replaceAll('|', '\\|')}${buckets}`];
}
