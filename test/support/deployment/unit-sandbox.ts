import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';
import { projectFolder } from '../workspace.ts';
import { credentialsFolder, type UnitFile } from './unit-file.ts';

/** As the unit has it, seen from inside: the project in its place, nothing to write to but what is nobody else's. */
const rooms = `
set -e
mount -t tmpfs -o mode=755 tmpfs /opt
mkdir /opt/campaign-mirror
mount --bind "$PROJECT" /opt/campaign-mirror
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p "$CREDENTIALS"
printf '%s\\n' "$DATABASE_URL" > "$CREDENTIALS/database-url"
chown -R nobody "$CREDENTIALS"
chmod -R u=rX,go= "$CREDENTIALS"
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -o remount,bind,ro /opt/campaign-mirror
mount -o remount,bind,ro /
cd /opt/campaign-mirror
`;

const unprivileged =
  'setpriv --reuid nobody --regid nogroup --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all';

/** Runs words in a mount namespace that ends with them. */
function inRooms(script: string, variables: Readonly<Record<string, string>> = {}): RunningProcess {
  if (process.getuid?.() !== 0) throw new Error('only root can give a unit a mount namespace of its own');
  const given = { PROJECT: projectFolder, CREDENTIALS: credentialsFolder, DATABASE_URL: '', ...variables };
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', `${rooms}${script}`];
  return start(program('unshare'), words, given);
}

/** A tool that looks at a unit, where its program is in its place. */
export function asInstalled(words: readonly string[]): RunningProcess {
  return inRooms(`exec ${words.join(' ')}`);
}

/**
 * ExecStart= of a unit, by an unprivileged user, with the unit's own environment, then the lines of its
 * EnvironmentFile=. `under`: a program that runs it.
 */
export function startUnit(
  unit: UnitFile,
  { url, file = {}, under = '' }: { url: string; file?: Readonly<Record<string, string>>; under?: string },
): RunningProcess {
  const environment = { HOME: '/', PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...unit.environment, ...file };
  const variables = Object.entries(environment).map(([name, value]) => `'${name}=${value}'`);
  const words = [unprivileged, 'env -i', ...variables, under, unit.one('ExecStart')];
  return inRooms(`umask ${unit.one('UMask')}\nexec ${words.join(' ')}`, { DATABASE_URL: url });
}
