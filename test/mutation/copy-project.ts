import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../support/workspace.ts';

/** Copies what git knows, with links to the same installed packages. */
export async function copyProject(to: string): Promise<void> {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', words, { cwd: projectFolder });
  for (const path of stdout.split('\n').filter(Boolean)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await cp(join(projectFolder, path), join(to, path)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await mkdir(join(to, 'node_modules'));
  await symlink(join(projectFolder, 'node_modules/.pnpm'), join(to, 'node_modules/.pnpm'));
  // Stryker's runner does not find the files of mocha 12.
  await symlink(join(projectFolder, 'test/mutation/node_modules/mocha'), join(to, 'node_modules/mocha'));
  const packages = (await readdir(join(projectFolder, 'packages'))).map((name) => `packages/${name}`);
  for (const folder of [...packages, 'test', 'bench']) {
    const links = `${folder}/node_modules`;
    // Links to packages of the workspace are relative, so that they lead into the copy.
    await cp(join(projectFolder, links), join(to, links), { recursive: true, verbatimSymlinks: true }).catch(
      (error) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
  }
}
