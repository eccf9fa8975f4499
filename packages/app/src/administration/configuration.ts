import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import { dataFolder } from '../database/data-folder.ts';
import { readCommandSettings } from '../operator/command-settings.ts';
import { shownDatabaseUrl } from '../settings/database-url.ts';
import type { Origin } from '../settings/read-settings.ts';
import { shownRedisUrl } from '../settings/redis-url.ts';
import { type Setting, type SettingName, type Settings, settings } from '../settings/settings.ts';
import { isYours, yourDatabase } from '../settings/your-database.ts';

/** These are shown except for the password. */
const shownUrls: Partial<Record<SettingName, (url: string) => string>> = {
  DATABASE_URL: shownDatabaseUrl,
  REDIS_URL: shownRedisUrl,
};

/** Shows the settings in force, without connecting to the database. @throws ClearError with all that is wrong */
export async function showConfiguration(call: Call, json: boolean | undefined): Promise<void> {
  const { settings: read, origins, notes } = readCommandSettings(call);
  const { output } = call;
  const names = Object.keys(settings) as SettingName[];
  const rows = names.map((name) => shown(name, origins[name]));
  const used = await database(read);
  if (json) return output.object({ database: used, settings: rows.map(object), notes });
  await output.fields(Object.entries(used));
  await output.print('');
  await output.list(rows, {
    json,
    object,
    columns: [
      { head: 'setting', cell: ({ name }) => name },
      { head: 'value', cell: ({ value, isHidden }) => (isHidden ? '(set, hidden)' : value) },
      { head: 'from', cell: ({ origin }) => whence(origin) },
    ],
    none: '',
  });
}

type Shown = ReturnType<typeof shown>;

/** The value is null where there is none, or it is hidden. */
function shown(name: SettingName, origin: Origin) {
  const { secret }: Setting = settings[name];
  const { text = null } = origin;
  const withoutPassword = shownUrls[name];
  if (withoutPassword && text !== null) {
    return { name, value: withoutPassword(text), isHidden: false, origin };
  }
  const isHidden = secret === true && text !== null;
  return { name, value: isHidden ? null : text, isHidden, origin };
}

function object({ name, value, isHidden, origin: { source } }: Shown) {
  const file = source.kind === 'file' ? source.path : null;
  return { setting: name, value, hidden: isHidden, from: source.kind, file };
}

function whence({ source }: Origin): string | null {
  if (source.kind === 'unset') return null;
  return source.kind === 'file' ? `file ${source.path}` : source.kind;
}

/** Which database is used. */
async function database(read: Settings): Promise<Record<string, string>> {
  if (!isYours(read)) return { database: 'embedded', folder: (await dataFolder(read)).folder };
  const { address, tls } = yourDatabase(read);
  const { host, port, user, database: name } = address;
  return { database: `${host}:${port}/${name}`, user: String(user), tls };
}
