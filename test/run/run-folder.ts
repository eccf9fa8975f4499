import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The temporary folder of a run: what a test leaves in it goes with it, and so do the processes that use it. */
export class RunFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<RunFolder> {
    const path = await mkdtemp(join(tmpdir(), 'mirror-tests-'));
    // As the system's own: the database's OS user comes here too.
    await chmod(path, 0o1777);
    return new RunFolder(path);
  }

  async remove(): Promise<void> {
    // A PostgreSQL has a session of its own and outlives those who started it; SIGQUIT takes its children along.
    for (let signal: NodeJS.Signals = 'SIGQUIT', looks = 0; ; looks++) {
      const users = commandLines().filter(([, line]) => line.includes(this.path));
      if (users.length === 0) break;
      for (const [id] of users) tell(id, signal);
      await pause(50);
      if (looks === 100) signal = 'SIGKILL';
    }
    await rm(this.path, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Ends a process, or a group by its negative number; false where there is none. */
export function tell(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Of every process; an image may have no `ps`, and macOS has no /proc. */
function commandLines(): [number, string][] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' });
    return stdout.split('\n').map((line) => [Number.parseInt(line, 10), line]);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => [Number(id), textOf(`/proc/${id}/cmdline`)]);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
