import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import { type RunningProcess, start } from '../process/service-process.ts';
import { outputOf } from '../process/typescript.ts';
import { program } from '../programs.ts';
import { dataVariable } from '../run-folder.ts';

/** In memory, where there is enough: dpkg waits for a disk. */
const { [dataVariable]: dataFolder = tmpdir() } = process.env;
/** What Debian's installer puts on every machine, as far as it matters here. */
const packages = 'systemd-sysv,dbus,procps';
const quick = [
  '--aptopt=Acquire::Languages "none"',
  '--dpkgopt=force-unsafe-io',
  ...['doc', 'man', 'locale'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
];

/** With processes, mounts and a network of its own, so that its ports and paths are nobody else's. */
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
  --bind-ro="$SHARED:/srv" --machine="$NAME" --directory="$FOLDER/root" --boot
`;

/** Its control groups: they can be removed once all that was in them has ended. */
const removeGroups = `
for folder in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  [ ! -d "$folder/$NAME" ] || find "$folder/$NAME" -depth -type d -exec rmdir {} +
done
`;

/** A new Debian 12 that its own systemd runs, with nothing else in it. */
export class NewDebian {
  readonly #folder: string;
  readonly #name: string;
  #console: RunningProcess | undefined;
  #leader = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#name = `campaign-mirror-${process.pid}`;
  }

  /** `shared` is its /srv, where it can write nothing. */
  static async boot(shared: string): Promise<NewDebian> {
    if (process.getuid?.() !== 0) throw new Error('only root can boot a machine');
    const machine = new NewDebian(await mkdtemp(join(dataFolder, 'campaign-mirror-debian-')));
    try {
      await machine.#boot(shared);
    } catch (error) {
      await machine.end();
      throw error;
    }
    return machine;
  }

  async #boot(shared: string): Promise<void> {
    await chmod(this.#folder, 0o755);
    const made = ['--quiet', '--mode=root', '--variant=minbase', `--include=${packages}`, ...quick];
    await outputOf(start(program('mmdebstrap'), [...made, 'bookworm', join(this.#folder, 'root')], {}));
    const apart = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child'];
    const given = { FOLDER: this.#folder, NAME: this.#name, SHARED: shared };
    const console = start(program('unshare'), [...apart, 'sh', '-c', boot], {
      ...given,
      NSPAWN: program('systemd-nspawn'),
    });
    this.#console = console;
    await console.says(() => console.output.includes('login: ') || undefined);
    // unshare, systemd-nspawn, systemd
    this.#leader = onlyChildOf(onlyChildOf(Number(console.child.pid)));
    await this.run('systemctl is-system-running --wait', {});
  }

  /** What root's shell shows, errors too. `network`: this machine's, to download by. @throws Error when it fails */
  async run(
    script: string,
    variables: Readonly<Record<string, string>>,
    { network = false } = {},
  ): Promise<string> {
    const spaces = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', ...(network ? [] : ['--net'])];
    const enter = ['--target', String(this.#leader), ...spaces, '--root', '--wd'];
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const given = Object.entries({ HOME: '/root', PATH, DEBIAN_FRONTEND: 'noninteractive', ...variables });
    const words = given.map(([name, value]) => `${name}=${value}`);
    const shell = ['env', '-i', ...words, 'sh', '-c', `exec 2>&1\ncd\n${script}`];
    return outputOf(start(program('nsenter'), [...enter, ...shell], {}));
  }

  /** It is gone, as if its power had. */
  async end(): Promise<void> {
    await this.#console?.stop('SIGKILL');
    await eventually('the processes of the machine to be gone', async () => {
      const removal = start('sh', ['-c', removeGroups], { NAME: this.#name });
      expect((await removal.ended).code, removal.errors).to.equal(0);
    });
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function onlyChildOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const [child] = children;
  if (!child || children.length > 1) throw new Error(`the children of ${pid} are ${children.join(', ')}`);
  return Number(child);
}
