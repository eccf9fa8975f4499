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
    it('in a folder that only root may enter, service and commands of root keep the data in /var/lib', async () => {
      const output = await outputIn(`
      mkfifo /srv/log
      node_modules/.bin/node packages/app/src/main.ts > /srv/log &
      exec 3< /srv/log
      while read -r line <&3; do echo "$line"; case $line in *'"listening"'*) break ;; esac; done
      echo "created $(./campaign-mirror campaign create --owner 7 --json)"
      stat -c 'mode %a %U %n' '${closedFolder}' /var/lib/campaign-mirror/programs '${outside}'
      stat -c 'pgdata %a %U' '${outside}/cluster/pgdata'
      ls -A | grep -Fx .data && echo 'loose data in the project'
      find /var/lib/campaign-mirror/programs \\( -perm /022 -o ! -user root \\) ! -type l | sed 's/^/loose /'
    `);
      const starting = JSON.parse(output.match(/^.*database-starting.*$/m)?.[0] ?? '');
      expect(starting.folder).to.equal(outside);
      expect(output).to.include('created {"id":1}');
      expect(output.match(/^mode .*$/gm)).to.deep.equal([
        `mode 700 root ${closedFolder}`,
        'mode 755 root /var/lib/campaign-mirror/programs',
        `mode 711 root ${outside}`,
      ]);
      expect(output).to.match(/^pgdata 700 (?!root)/m);
      expect(output).not.to.contain('loose');
    });

    it('without the OS user postgres, nobody owns the data; a read-only folder or no such user is refused in one line', async () => {
      const output = await outputIn(`
      list() { ./campaign-mirror campaign list 2>&1 || echo "ended with $?"; }
      mount -o remount,ro /var/lib
      list
      mount -o remount,rw /var/lib
      echo 'root:x:0:0::/root:/bin/sh' > /srv/passwd
      mount --bind /srv/passwd /etc/passwd
      list
      echo 'nobody:x:65534:65534::/:/bin/false' >> /srv/passwd
      ./campaign-mirror campaign create --owner 7 > /dev/null
      stat -c 'pgdata %a %u' '${outside}/cluster/pgdata'
    `);
      const [noFolder, noUser, ...rest] = output.split('\nended with 3\n');
      expect(noFolder).to.match(
        /^The data folder \/var\/lib\/campaign-mirror\/data\/.*Read-only file system.*DATA_DIR.*\.$/,
      );
      expect(noUser).to.match(/^.*neither an OS user postgres nor nobody.*DATABASE_URL.*\.$/);
      expect(rest).to.deep.equal(['pgdata 700 65534\n']);
    });

    it('an ordinary user has the data in the project, created as for root', async () => {
      const output = await outputIn(`
      chmod 755 '${closedFolder}'
      mkdir -m 700 /srv/home
      chown nobody /srv/home .
      nobody() {
        setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --inh-caps=-all --bounding-set=-all \\
          env HOME=/srv/home TMPDIR=/srv/home "$@"
      }
      echo "doctor $(nobody ./campaign-mirror doctor --json | grep '"database"')"
      nobody node_modules/.bin/mocha --no-config --timeout 60000 --reporter dot test/embedded/creation.test.ts
    `);
      expect(output).to.contain(`no embedded database in ${closedProject}/.data yet`);
      expect(output).to.match(/^ +\d+ passing/m);
    });
  });
