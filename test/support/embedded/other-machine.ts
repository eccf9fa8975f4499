import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';
import { projectFolder } from '../workspace.ts';

/** Where the project is seen in such a room: nobody but root may enter the folder above it. */
export const closedFolder = '/srv/closed';
export const closedProject = `${closedFolder}/the project`;

/**
 * As on a machine where nothing was done yet: nothing in /var/lib, the project once more in a folder that others may not
 * enter, with a space in its path, and no data in it. `project_at FOLDER` shows it there too; `service` starts the
 * service, prints what it says, and goes on when it listens, which is the last `$line`.
 */
const room = `
set -e
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir -m 700 '${closedFolder}'
project_at() {
  mkdir "$1"
  for one in "$PROJECT"* "$PROJECT".[!.]*; do
    here="$1/\${one##*/}"
    # The second is made and removed beside this, by the test of the image.
    case $here in */.data | */.pnpm-store) continue ;; esac
    if [ -d "$one" ]; then mkdir "$here"; else : > "$here"; fi
    mount --bind "$one" "$here"
  done
}
project_at '${closedProject}'
cd '${closedProject}'
service() {
  mkfifo /srv/said
  node_modules/.bin/node packages/app/src/main.ts "$@" > /srv/said &
  exec 3< /srv/said
  while read -r line <&3; do echo "$line"; case $line in *'"listening"'*) break ;; esac; done
  cat <&3 > /dev/null &
}
`;

/** What of a test needs root, and a kernel that gives it a mount namespace, is said where it cannot be had. */
export function canHaveRoom(what: string): boolean {
  const isRoot = process.getuid?.() === 0;
  const has =
    isRoot &&
    spawnSync(program('unshare'), ['--mount', '--pid', '--fork', '--mount-proc', 'true']).status === 0;
  if (!has) console.warn(`NOT TESTED, for want of ${isRoot ? 'a mount namespace' : 'being root'}: ${what}`);
  return has;
}

/** Runs a script as root in namespaces of its own, which end with it, and all of its processes with them. */
function inRoom(script: string): RunningProcess {
  const words = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const given = { PROJECT: projectFolder, DATABASE_URL: undefined, DEMO: 'off' };
  return start(program('unshare'), [...words, 'bash', '-c', `${room}${script}`], given);
}

/** What such a script has said, when it ended with this code. */
export async function saidInRoom(script: string, expected = 0): Promise<{ output: string; errors: string }> {
  const process = inRoom(script);
  const { code } = await process.ended;
  const { output, errors } = process;
  expect(code, `${output}\n${errors}`).to.equal(expected);
  return { output, errors };
}
