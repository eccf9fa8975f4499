import type { Log } from '../logging/log.ts';
import { version } from '../process/version.ts';
import type { Origins } from '../settings/read-settings.ts';
import { type Setting, type SettingName, settings } from '../settings/settings.ts';

/** The maximum length of a value shown, in characters. */
const mostShown = 200;

/** The first line of a process: what starts, and how it is configured. */
export function tellOfStart(log: Log, origins: Origins): void {
  const { version: ours, node, migration } = version();
  const set = chosen(origins);
  log.info(
    { event: 'starting', version: ours, node, migration, settings: set },
    `version ${ours} is starting`,
  );
}

/** The settings that differ from their defaults, as written; a secret's value is never shown. */
function chosen(origins: Origins): Record<string, string> {
  const names = Object.keys(origins) as SettingName[];
  const differing = names.filter((name) => {
    const { byDefault, secret }: Setting = settings[name];
    const { text } = origins[name];
    return !secret && text !== undefined && text !== byDefault;
  });
  return Object.fromEntries(differing.map((name) => [name, origins[name].text?.slice(0, mostShown) ?? '']));
}
