import { leaf } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import { nameOf } from '../database/connection-advice.ts';
import { readCommandSettings } from '../operator/command-settings.ts';
import type { Origin } from '../settings/read-settings.ts';
import { type Setting, type SettingName, type Settings, settings } from '../settings/settings.ts';
import { environmentExample } from '../settings/shown.ts';
import { isYours, yourDatabase } from '../settings/your-database.ts';

export function config(call: Call) {
  return leaf(
    'config',
    'show the settings as this shell would start the service, where each comes from, and which database is used; hides secrets',
    ['config', 'config --json', 'config --example'],
  )
    .addHelpText('after', () => `\n${environmentExample().trimEnd()}`)
    .option('--example', 'print every setting with its default, as .env.example has them')
    .action(async ({ json, example }) => {
      const { output } = call;
      if (example) {
        return output.answer(json, { example: environmentExample() }, environmentExample().trimEnd());
      }
      const { settings: read, origins, notes } = readCommandSettings(call);
      const rows = (Object.keys(settings) as SettingName[]).map((name) => shown(name, origins[name]));
      const used = await database(read);
      if (json) return output.object({ database: used, settings: rows, notes });
      await output.fields(Object.entries(used));
      await output.print('');
      await output.list(rows, {
        json,
        object: (row) => row,
        columns: [
          { head: 'setting', cell: ({ setting }) => setting },
          { head: 'value', cell: ({ value, hidden }) => (hidden ? '(set, hidden)' : value) },
          {
            head: 'from',
            cell: ({ from, file }) => (from === 'unset' ? null : file ? `file ${file}` : from),
          },
        ],
        none: '',
      });
    });
}

/** These are shown except for the password, and the query, which may hold one. */
const urls = new Set<SettingName>(['DATABASE_URL', 'REDIS_URL']);

function shownUrl(url: string): string {
  return url.replace(/\?.*/, '?…').replace(/^([^:]+:\/\/[^:]*:)[^/]*@/, '$1…@');
}

/** The value is null where there is none, or it is hidden. */
function shown(name: SettingName, { text, from, file }: Origin) {
  const { secret }: Setting = settings[name];
  const hidden = text !== undefined && secret === true && !urls.has(name);
  const value = hidden || text === undefined ? null : urls.has(name) ? shownUrl(text) : text;
  return { setting: name, value, hidden, from, file: file ?? null };
}

async function database(read: Settings): Promise<Record<string, string>> {
  if (!isYours(read)) {
    const { dataFolder } = await import('../database/embedded-database.ts');
    return { database: 'embedded', folder: dataFolder(read) };
  }
  const { address, tls } = yourDatabase(read);
  return { database: nameOf(address), user: String(address.user), tls };
}
