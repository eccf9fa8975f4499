import { cpus, totalmem } from 'node:os';
import type { Settings } from './command-line.ts';
import type { Cores } from './cores.ts';

/** What the figures were measured on. */
export function machine(server: string): string {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const model = first?.model && first.model !== 'unknown' ? ` (${first.model.trim()})` : '';
  return `${cpus().length} cores${model}, ${memory} GB, ${process.platform}, Node ${process.version}; ${server}`;
}

/** The same, and where the processes are. */
export function placed(server: string, cores: Cores | undefined, settings: Settings = {}): string {
  const places = cores
    ? `the service on core ${cores.service}; PostgreSQL, if it was brought up here, and the load generator on core ${cores.rest}`
    : 'no process is kept to a core of its own (that takes Linux, taskset and two cores)';
  const changed = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  const ours = changed.length > 0 ? `the settings${changed.join('')}` : 'its default settings';
  return `${machine(server)}\n${places}\nour service with ${ours}`;
}
