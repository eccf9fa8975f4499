import { codeOf, denyHosts, deniedHosts as hostsIn } from '@campaign-mirror/adapters-persistence/sql';
import { entriesOf, type HostList, hostList } from '@campaign-mirror/domain';
import type { ClientBase, Pool } from 'pg';
import type { Settings } from '../settings/settings.ts';

type Database = Pool | ClientBase;
type Setting = Pick<Settings, 'MIRROR_HOST_DENYLIST'>;

/** The schema is older or may not be read, which other checks report; or the server takes no writes. */
const absent = ['42P01', '42883', '3F000', '42501', '25006'];
const unlessAbsent = (error: Error) => {
  if (!absent.includes(codeOf(error.cause ?? error))) throw error;
};

/** The hosts of the setting and those of other processes; which of them only the setting names, or only others. */
export async function deniedHosts(database: Database, { MIRROR_HOST_DENYLIST }: Setting) {
  const own = new Set(entriesOf(MIRROR_HOST_DENYLIST));
  const stored = new Set((await hostsIn(database).catch(unlessAbsent)) ?? []);
  // Somebody may have written by hand what is no host.
  const others = [...stored].filter((entry) => !own.has(entry) && !('notAHost' in hostList([entry])));
  const all = hostList([...own, ...others]) as HostList;
  return { all, others, alone: [...own].filter((entry) => !stored.has(entry)) };
}

/** Makes the hosts of the setting hold for every process; returns those that hold for this one. */
export async function denyTogether(database: Database, setting: Setting): Promise<HostList> {
  await denyHosts(database, entriesOf(setting.MIRROR_HOST_DENYLIST)).catch(unlessAbsent);
  return (await deniedHosts(database, setting)).all;
}

/** Such as `a.example, b.example and 12 more`. */
export function named(hosts: readonly string[]): string {
  const first = hosts.slice(0, 5).join(', ');
  return hosts.length > 5 ? `${first} and ${hosts.length - 5} more` : first;
}
