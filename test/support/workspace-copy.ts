import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFolder } from './workspace.ts';

/** What the compiler has to say against a line. */
export interface Complaint {
  /** From the copy's folder, with slashes. */
  readonly path: string;
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** A copy of packages, to plant in what shall not compile. */
export class WorkspaceCopy {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `names` such as `domain`: all that the packages need of ours has to be among them. */
  static async of(...names: string[]): Promise<WorkspaceCopy> {
    const copy = new WorkspaceCopy(await realpath(await mkdtemp(join(tmpdir(), 'campaign-mirror-copy-'))));
    await cp(`${projectFolder}tsconfig.base.json`, join(copy.folder, 'tsconfig.base.json'));
    for (const name of names) await copy.#add(name);
    return copy;
  }

  async #add(name: string): Promise<void> {
    const [from, to] = [join(projectFolder, 'packages', name), join(this.folder, 'packages', name)];
    for (const part of ['src', 'package.json', 'tsconfig.json']) {
      await cp(join(from, part), join(to, part), { recursive: true });
    }
    for (const dependency of await dependenciesIn(join(from, 'node_modules'))) {
      const link = join(to, 'node_modules', dependency);
      await mkdir(dirname(link), { recursive: true });
      const own = /^@campaign-mirror\/(.+)$/.exec(dependency)?.[1];
      await symlink(
        own ? join(this.folder, 'packages', own) : await realpath(join(from, 'node_modules', dependency)),
        link,
      );
    }
  }

  plant(path: string, text: string): Promise<void> {
    return writeFile(join(this.folder, path), text);
  }

  /** Type-checks the package and those that it refers to. */
  compile(name: string): Promise<Complaint[]> {
    const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc');
    return new Promise((resolve, reject) => {
      const args = ['-b', join('packages', name), '--pretty', 'false'];
      execFile(tsc, args, { cwd: this.folder }, (error, output) => {
        const complaints = output.split('\n').flatMap(complaint);
        if (error && complaints.length === 0) reject(new Error(`tsc: ${output}`, { cause: error }));
        else resolve(complaints);
      });
    });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

function complaint(line: string): Complaint[] {
  const [, path, at, code, message] =
    /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(line.replaceAll('\\', '/')) ?? [];
  if (!path || !code || message === undefined) return [];
  return [{ path, line: Number(at), code, message }];
}

async function dependenciesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((): string[] => []);
  const names = entries.map(async (entry) => {
    if (!entry.startsWith('@')) return entry.startsWith('.') ? [] : [entry];
    return (await readdir(join(folder, entry))).map((name) => `${entry}/${name}`);
  });
  return (await Promise.all(names)).flat();
}
