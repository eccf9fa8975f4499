import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Project = Readonly<Record<'name' | 'version', string>> & { readonly commit?: string };
/** The body of `/version`: the versions of the service and of Node, and the last migration that this version needs. */
export type Version = Project & Readonly<Record<'node' | 'migration', string>>;

export function project(): Project {
  // An image has no git, but its package.json has the commit. `--git-dir` reads only this folder, whoever owns it.
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const words = '--git-dir=.git describe --always --dirty --exclude=* --abbrev=12'.split(' ');
  const cwd = new URL('../../../../', import.meta.url);
  const git = () => spawnSync('git', words, { cwd, encoding: 'utf8', timeout: 5_000 }).stdout?.trim();
  const { version, commit = git() } = JSON.parse(manifest);
  return { name: 'campaign-mirror', version, ...(commit && { commit }) };
}

export const versionText = ({ version, commit }: Project) => version + (commit ? ` (commit ${commit})` : '');
