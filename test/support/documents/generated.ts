import { globSync, readFileSync } from 'node:fs';
import { logEvents } from '../../../packages/app/src/logging/log-events.ts';
import { type Setting, settings } from '../../../packages/app/src/settings/settings.ts';
import { accepts, environmentExample } from '../../../packages/app/src/settings/shown.ts';
import { calls, usage } from '../commands/command-tree.ts';
import { projectFolder, read } from '../workspace.ts';
import { exportsTable } from './api.ts';
import { logFields } from './log-fields.ts';
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
  'docs/reference/logs.md': (now) => withTables(now, { events: eventsTable, fields: fieldsTable }),
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

/** The headings of the page of settings, each with the settings below it. */
const settingGroups: Readonly<Record<string, readonly string[]>> = {
  listeners: [
    'HOST',
    'PORT',
    'TRUSTED_PROXIES',
    'OPS_HOST',
    'OPS_PORT',
    'DOCS',
    'CORS_ORIGINS',
    'HSTS_SECONDS',
  ],
  database: [
    ...[
      'DATABASE_URL',
      'PGHOST',
      'PGPORT',
      'PGUSER',
      'PGPASSWORD',
      'PGDATABASE',
      'PGSSLMODE',
      'PGSSLROOTCERT',
    ],
    ...['DATABASE_WAIT', 'DATA_DIR', 'RUN_MIGRATIONS', 'POOL_SIZE', 'POOL_WAIT_TIMEOUT', 'STATEMENT_TIMEOUT'],
    ...['QUERY_TIMEOUT', 'DATABASE_POOLER'],
  ],
  identity: [
    ...['IDENTITY', 'JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL', 'JWT_ALGORITHMS', 'JWT_OWNER_CLAIM'],
    ...['JWT_SUBJECT_CLAIM', 'JWT_CLOCK_TOLERANCE', 'JWT_KEYS_MAX_AGE', 'JWT_KEYS_STALE_IF_ERROR'],
  ],
  addresses: ['MIRROR_HOST_DENYLIST'],
  limits: [
    ...['RATE_LIMIT', 'FAILED_KEY_LIMIT', 'RATE_LIMIT_WHEN_AWAY', 'REDIS_URL', 'BODY_LIMIT'],
    ...['MAX_IN_FLIGHT', 'MAX_EVENT_LOOP_DELAY', 'MAX_CONNECTIONS'],
  ],
  timeouts: ['HEADERS_TIMEOUT', 'REQUEST_TIMEOUT', 'ANSWER_TIMEOUT', 'IDLE_TIMEOUT'],
  process: ['WORKERS', 'SHUTDOWN_DELAY', 'SHUTDOWN_TIMEOUT', 'LOG_LEVEL', 'METRICS', 'READINESS_TIMEOUT'],
  trials: ['DEMO', 'NODE_ENV', 'CAMPAIGN_MIRROR_KEY'],
};

/** @throws Error where a setting is in no group, or in two */
function settingsTables(): Readonly<Record<string, () => string>> {
  const grouped = Object.values(settingGroups).flat().toSorted();
  if (String(grouped) !== String(Object.keys(settings).toSorted())) {
    throw new Error('settingGroups must name each setting once');
  }
  return Object.fromEntries(
    Object.entries(settingGroups).map(([group, names]) => [`settings-${group}`, () => settingsTable(names)]),
  );
}

function settingsTable(names: readonly string[]): string {
  const rows = Object.entries<Setting>(settings)
    .filter(([name]) => names.includes(name))
    .map(([name, one]) => {
      const cells = [`\`${name}\``, accepts(one), one.byDefault ? `\`${one.byDefault}\`` : '', one.means];
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    });
  return ['| setting | accepts | default | means |', '|---|---|---|---|', ...rows].join('\n');
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
  const rows = Object.entries(logEvents).map(([name, event]) => [
    code([name]),
    event.levels.join(', '),
    event.when,
    code([...event.fields, ...event.more]),
  ]);
  return table(['event', 'level', 'when', 'fields'], rows);
}

/** @throws Error where a field is not described */
function fieldsTable(): string {
  const told = logFields.flatMap(([names]) => names);
  const untold = Object.values(logEvents).flatMap((event) =>
    [...event.fields, ...event.more].filter((name) => !told.includes(name)),
  );
  if (untold.length > 0) throw new Error(`logFields does not tell of ${untold}`);
  return table(
    ['field', ''],
    logFields.map(([names, means]) => [code(names), means]),
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
