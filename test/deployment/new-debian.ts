import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { outputOf, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { dataVariable } from '../support/run-folder.ts';

/** The packages of a small Debian, without its documentation. */
const made = [
  ...['--quiet', '--mode=root', '--variant=minbase', '--include=systemd-sysv,dbus,procps'],
  ...['--aptopt=Acquire::Languages "none"', '--dpkgopt=force-unsafe-io'],
  ...['doc', 'man', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
];

/** Boots the machine in new namespaces for processes, mounts and the network. */
const boot = `
set -e
for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  [ -e "$folder/cgroup.procs" ] || continue
  mkdir -p "$folder/$NAME"
  echo $$ > "$folder/$NAME/cgroup.procs"
done
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
exec "$NSPAWN" --quiet --register=no --keep-unit --private-network --resolv-conf=copy-host --link-journal=no \\
  --bind-ro="$SHARED:/srv" --machine="$NAME" --directory="$ROOT" --boot
`;

/** Removes the control groups of the machine; fails while one of its processes lives. */
const removeGroups = `
for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  [ ! -d "$folder/$NAME" ] || find "$folder/$NAME" -depth -type d -exec rmdir {} +
done
`;

/** Boots a new Debian 12 with its systemd. `shared` is its /srv, read-only. */
export async function newDebian(shared: string) {
  if (process.getuid?.() !== 0) throw new Error('only root can boot a machine');
  // In memory if there is enough: dpkg syncs to disk often.
  const folder = await mkdtemp(join(process.env[dataVariable] ?? tmpdir(), 'campaign-mirror-debian-'));
  await chmod(folder, 0o755);
  const ROOT = join(folder, 'root');
  const NAME = `campaign-mirror-${process.pid}`;
  await outputOf(start(program('mmdebstrap'), [...made, 'bookworm', ROOT], {}));
  const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
  const given = { ROOT, NAME, SHARED: shared, NSPAWN: program('systemd-nspawn') };
  const machine = start(program('unshare'), [...apart, 'sh', '-c', boot], given);
  await machine.says(() => machine.output.includes('login: ') || undefined);
  // Children: unshare starts systemd-nspawn, which starts systemd.
  const leader = onlyChildOf(onlyChildOf(Number(machine.child.pid)));

  /** Runs a script as root, perhaps in the host's network; returns all of its output. @throws Error when it fails */
  async function run(script: string, variables: Readonly<Record<string, string>> = {}, network = false) {
    const spaces = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', ...(network ? [] : ['--net'])];
    const enter = ['--target', String(leader), ...spaces, '--root', '--wd'];
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const all = Object.entries({ HOME: '/root', PATH, DEBIAN_FRONTEND: 'noninteractive', ...variables });
    const words = ['env', '-i', ...all.map(([name, value]) => `${name}=${value}`), 'sh', '-c'];
    return outputOf(start(program('nsenter'), [...enter, ...words, `exec 2>&1\ncd\n${script}`], {}));
  }
  await run('systemctl is-system-running --wait');

  /** Ends the machine like a power cut. */
  async function end(): Promise<void> {
    await machine.stop('SIGKILL');
    await eventually('the processes of the machine to be gone', async () => {
      const removal = start('sh', ['-c', removeGroups], { NAME });
      expect((await removal.ended).code, removal.errors).to.equal(0);
    });
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  return { run, end };
}

function onlyChildOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const [child] = children;
  if (!child || children.length > 1) throw new Error(`the children of ${pid} are ${children.join(', ')}`);
  return Number(child);
}
