import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { start } from '../support/process/service-process.ts';
import { canHaveRoom, program } from '../support/programs.ts';
import { projectFolder } from '../support/workspace.ts';

/** Where the project is seen in such a room: nobody but root may enter the folder above it. */
const closedFolder = '/srv/closed';
const closedProject = `${closedFolder}/the project`;
const hash = createHash('sha256').update(closedProject).digest('hex').slice(0, 12);
const outside = `/var/lib/campaign-mirror/data/the-project-${hash}`;

/**
 * As on a machine where nothing was done yet: nothing in /var/lib, the project once more in a folder that others may not
 * enter, with a space in its path, and no data in it.
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
`;

/** What a script says as root in namespaces of its own, which end with it, and all of its processes with them. */
async function said(script: string): Promise<string> {
  const words = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const given = { PROJECT: projectFolder, DATABASE_URL: undefined, DEMO: 'off' };
  const process = start(program('unshare'), [...words, 'bash', '-c', `${room}${script}`], given);
  const { code } = await process.ended;
  expect(code, `${process.output}\n${process.errors}`).to.equal(0);
  return process.output;
}

const json = (text: string, mark: string) =>
  JSON.parse(new RegExp(`^${mark} (.*)$`, 'm').exec(text)?.[1] ?? '');

if (canHaveRoom('the place and the OS user of the embedded database'))
  describe('the embedded database of root in a folder that others may not enter', () => {
    it('the service starts and says where the data lies, and the commands use the same', async () => {
      const output = await said(`
      mkfifo /srv/said
      node_modules/.bin/node packages/app/src/main.ts > /srv/said &
      exec 3< /srv/said
      while read -r line <&3; do echo "$line"; case $line in *'"listening"'*) break ;; esac; done
      echo "created $(./campaign-mirror campaign create --owner 7 --json)"
      echo "doctor $(./campaign-mirror doctor --json | grep '"disk"')"
      stat -c 'mode %a %U %n' '${closedFolder}' /var/lib/campaign-mirror/programs '${outside}'
      stat -c 'pgdata %a %U' '${outside}/cluster/pgdata'
      ls -A | grep -Fx .data && echo 'loose data in the project'
      find /var/lib/campaign-mirror/programs \\( -perm /022 -o ! -user root \\) ! -type l | sed 's/^/loose /'
    `);
      const starting = JSON.parse(output.match(/^.*database-starting.*$/m)?.[0] ?? '');
      expect(starting.folder).to.equal(outside);
      expect(json(output, 'created')).to.deep.equal({ id: 1 });
      expect(json(output, 'doctor').finding).to.contain(outside);
      expect(output.match(/^mode .*$/gm)).to.deep.equal([
        `mode 700 root ${closedFolder}`,
        'mode 755 root /var/lib/campaign-mirror/programs',
        `mode 711 root ${outside}`,
      ]);
      expect(output).to.match(/^pgdata 700 (?!root)/m);
      expect(output).not.to.contain('loose');
    });

    it('where there is no user postgres, nobody has the data; what cannot be had is said in one line', async () => {
      const output = await said(`
      list() { ./campaign-mirror campaign list 2>&1 || echo "ended with $?"; }
      mount -o remount,ro /var/lib
      list
      DATA_DIR=/srv/data list
      mount -o remount,rw /var/lib
      echo 'root:x:0:0::/root:/bin/sh' > /srv/passwd
      mount --bind /srv/passwd /etc/passwd
      list
      echo 'nobody:x:65534:65534::/:/bin/false' >> /srv/passwd
      ./campaign-mirror campaign create --owner 7 > /dev/null
      stat -c 'pgdata %a %u' '${outside}/cluster/pgdata'
    `);
      const [noFolder, noCopy, noUser, ...rest] = output.split('\nended with 3\n');
      expect(noFolder).to.match(
        /^The data folder \/var\/lib\/campaign-mirror\/data\/.*Read-only file system.*DATA_DIR.*\.$/,
      );
      expect(noCopy).to.match(/^The data folder \/srv\/data .*\/var\/lib.*Read-only file system.*\.$/);
      expect(noUser).to.match(/^.*neither an OS user postgres nor nobody.*DATABASE_URL.*\.$/);
      expect(rest).to.deep.equal(['pgdata 700 65534\n']);
    });

    it('of an ordinary user lies in the project; its creation and its life are as those of root', async () => {
      const files = ['creation', 'lifecycle'].map((name) => `test/embedded/${name}.test.ts`);
      const output = await said(`
      chmod 755 '${closedFolder}'
      mkdir -m 700 /srv/home
      chown nobody /srv/home .
      nobody() {
        setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --inh-caps=-all --bounding-set=-all \\
          env HOME=/srv/home TMPDIR=/srv/home "$@"
      }
      echo "doctor $(nobody ./campaign-mirror doctor --json | grep '"database"')"
      nobody node_modules/.bin/mocha --no-config --timeout 60000 --reporter dot ${files.join(' ')}
    `);
      expect(json(output, 'doctor').finding).to.contain(`no embedded database in ${closedProject}/.data yet`);
      expect(output).to.match(/^ +\d+ passing/m);
    });
  });
