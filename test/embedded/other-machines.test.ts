import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { start } from '../support/process/service-process.ts';
import { canHaveRoom, program } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';

/** The project inside the namespaces, below a folder that only root may enter. */
const closedFolder = '/srv/closed';
const closedProject = `${closedFolder}/the project`;
const hash = createHash('sha256').update(closedProject).digest('hex').slice(0, 12);
const outside = `/var/lib/campaign-mirror/data/the-project-${hash}`;

/** A fresh machine: an empty /var/lib, and the project without its data in a path with a space. */
const room = `
set -e
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /srv
mkdir -m 700 '${closedFolder}'
mkdir '${closedProject}'
for one in "$PROJECT"* "$PROJECT".[!.]*; do
  here="${closedProject}/\${one##*/}"
  # The test of the image creates and removes .pnpm-store at any moment.
  case $here in */.data | */.pnpm-store) continue ;; esac
  if [ -d "$one" ]; then mkdir "$here"; else : > "$here"; fi
  mount --bind "$one" "$here"
done
cd '${closedProject}'
`;

/** Runs a script as root in new namespaces, which end with it and all of its processes; returns its output. */
async function outputIn(script: string): Promise<string> {
  const words = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const settings = { PROJECT: projectFolder, DATABASE_URL: undefined, DEMO: 'off' };
  const process = start(program('unshare'), [...words, 'bash', '-c', `${room}${script}`], settings);
  const { code } = await process.ended;
  expect(code, `${process.output}\n${process.errors}`).to.equal(0);
  return process.output;
}

if (canHaveRoom('the folder and the OS user of the embedded database'))
  describe('the embedded database works for any user in any folder', () => {
    it('root in a closed folder has the data in /var/lib, owned by nobody where there is no postgres', async () => {
      const output = await outputIn(`
      printf '%s\\n' root:x:0:0::/root:/bin/sh nobody:x:65534:65534::/:/bin/false > /srv/passwd
      mount --bind /srv/passwd /etc/passwd
      mkfifo /srv/log
      node_modules/.bin/node packages/app/src/main.ts > /srv/log &
      exec 3< /srv/log
      while read -r line <&3; do echo "$line"; case $line in *'"listening"'*) break ;; esac; done
      echo "created $(./campaign-mirror campaign create --owner 7 --json)"
      stat -c 'mode %a %u %n' /var/lib/campaign-mirror/programs '${outside}' '${outside}/cluster/pgdata'
      ls -A | grep -Fx .data && echo 'loose data in the project'
      find /var/lib/campaign-mirror/programs \\( -perm /022 -o ! -user root \\) ! -type l | sed 's/^/loose /'
    `);
      const starting = JSON.parse(output.match(/^.*database-starting.*$/m)?.[0] ?? '');
      expect(starting.folder).to.equal(outside);
      expect(output).to.include('created {"id":1}');
      expect(output.match(/^mode .*$/gm)).to.deep.equal([
        'mode 755 0 /var/lib/campaign-mirror/programs',
        `mode 711 0 ${outside}`,
        `mode 700 65534 ${outside}/cluster/pgdata`,
      ]);
      expect(output).not.to.contain('loose');
    });
  });
