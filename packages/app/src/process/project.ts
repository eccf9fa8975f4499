import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** `commit`: the one that runs, if it is known. */
export type Project = Readonly<Record<'name' | 'version', string>> & { readonly commit?: string };

/** The name of the project, the version in the package's `package.json`, which is that of all packages, and the commit. */
export function project(): Project {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const commit = commitOf(new URL('../../../../', import.meta.url));
  return { name: 'campaign-mirror', version, ...(commit && { commit }) };
}

/** For people. */
export const versionOf = ({ version, commit }: Project) => version + (commit ? ` (commit ${commit})` : '');

/** An image has it in a file; elsewhere git says it of the project's own folder, also to those who do not own that. */
function commitOf(root: URL): string | undefined {
  const words = '--git-dir=.git describe --always --dirty --exclude=* --abbrev=12'.split(' ');
  const file = new URL('REVISION', root);
  const git = () => execFileSync('git', words, { cwd: root, stdio: 'pipe', timeout: 5_000 });
  try {
    const revision = String(existsSync(file) ? readFileSync(file) : git()).trim();
    return revision.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1');
  } catch {
    return undefined;
  }
}

/** What `/version` answers: the version of the service, of Node, and the last migration that this version needs. */
export type Version = Project & Readonly<Record<'node' | 'migration', string>>;
