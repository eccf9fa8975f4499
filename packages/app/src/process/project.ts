import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Project = Readonly<Record<'name' | 'version', string>> & { readonly commit?: string };
/** What `/version` answers: the version of the service, of Node, and the last migration that this version needs. */
export type Version = Project & Readonly<Record<'node' | 'migration', string>>;

/** The name of the project, the version of its packages, and the commit that runs, if it is known. */
export function project(): Project {
  // An image, which lacks git, has the commit in it. Git says that of this folder alone, whoever owns it.
  const own = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const words = '--git-dir=.git describe --always --dirty --exclude=* --abbrev=12'.split(' ');
  const cwd = new URL('../../../../', import.meta.url);
  const git = () => spawnSync('git', words, { cwd, encoding: 'utf8', timeout: 5_000 }).stdout?.trim();
  const { version, commit = git() } = JSON.parse(own);
  return { name: 'campaign-mirror', version, ...(commit && { commit }) };
}

export const versionOf = ({ version, commit }: Project) => version + (commit ? ` (commit ${commit})` : '');
