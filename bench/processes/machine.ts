import { cpus, totalmem } from 'node:os';
import type { Cores } from './cores.ts';

/** What the figures were measured on. */
export function machine(
  server: string,
  cores: Cores | undefined,
  settings: Readonly<Record<string, string>>,
): string {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const model = first?.model && first.model !== 'unknown' ? ` (${first.model.trim()})` : '';
  const placed = cores
    ? `the service on core ${cores.service}; PostgreSQL, if it was brought up here, and the load generator on core ${cores.rest}`
    : 'no process is kept to a core of its own (that takes Linux, taskset and two cores)';
  const changed = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  const ours = `our service with ${changed.length > 0 ? `the settings${changed.join('')}` : 'its default settings'}`;
  return `${cpus().length} cores${model}, ${memory} GB, ${process.platform}, Node ${process.version}; ${server}\n${placed}\n${ours}`;
}
