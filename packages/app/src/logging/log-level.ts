import type { Log } from './log-events.ts';

/** Where the configured level is already as verbose, this one is used. */
const lessTalkative = 'info';

/** Switches between the configured level and `debug`, and logs that at the more verbose of the two. */
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

/** The least severe level that is logged; `silent` has no number and logs nothing. */
function severity(log: Log, level: string): number {
  return log.levels.values[level] ?? Number.POSITIVE_INFINITY;
}
