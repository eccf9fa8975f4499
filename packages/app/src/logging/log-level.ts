import type { Log } from './log-events.ts';

/** Where the configured level shows as much already, it is turned down to this. */
const lessTalkative = 'info';

/**
 * Changes between the level that was configured and `debug`, and says so by a line that is shown at the more
 * talkative one of both.
 */
export function levelToggle(log: Log, configured: string): () => void {
  const other = configured === 'debug' || configured === 'trace' ? lessTalkative : 'debug';
  return () => {
    const from = log.level;
    const to = from === configured ? other : configured;
    const tell = () => log.info({ event: 'log-level-changed', from, to }, `the log is at ${to} now`);
    const turnsUp = severity(log, to) < severity(log, from);
    if (!turnsUp) tell();
    log.level = to;
    if (turnsUp) tell();
  };
}

/** The least severe that is logged at a level; nothing is at `silent`, which has no number. */
function severity(log: Log, level: string): number {
  return log.levels.values[level] ?? Number.POSITIVE_INFINITY;
}
