import {
  defaultPoolLimits,
  GroupCommit,
  type HotPath,
  heldAtMost,
  SingleStatements,
  type Statements,
} from '@campaign-mirror/adapters-persistence';

/** What `GROUP_COMMIT` may be. */
export const groupCommits = ['on', 'off'] as const;

export type GroupCommitSetting = (typeof groupCommits)[number];

/** As the service has it on a pool of these limits. */
export function hotPathOn(
  statements: Statements,
  groupCommit: GroupCommitSetting = 'on',
  { size, waitTimeout }: { size: number; waitTimeout: number } = defaultPoolLimits,
): HotPath {
  if (groupCommit === 'off') return new SingleStatements(statements);
  return new GroupCommit(statements, { most: heldAtMost(size), patience: waitTimeout });
}
