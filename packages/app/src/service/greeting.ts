import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import type { DatabaseAccess } from '../database/database-access.ts';
import { asOperator, type Operator } from '../operator/command-database.ts';
import { demonstrateWhereNothingIs, firstCalls, laterCalls } from '../operator/demonstration.ts';
import type { Given } from '../wiring/tokens.ts';

/**
 * Shows a newcomer what to call, on standard output, but not in the log, because it contains a key. The demonstration
 * set is created where the database has never held any data; otherwise the text says how to get a key.
 */
export async function greet(
  { settings, log, lines }: Given,
  access: DatabaseAccess,
  port: number,
): Promise<void> {
  if (settings.DEMO === undefined ? !access.embedded : settings.DEMO === 'off') return;
  try {
    const operator = 'the service, at its start';
    const base = urlOf(settings.HOST, port);
    const greeting = async (as: Operator<Database>) => {
      const made = await demonstrateWhereNothingIs(as);
      return made ? firstCalls(made, base) : laterCalls;
    };
    lines.write(await asOperator(openDatabase, access, greeting, operator));
  } catch (error) {
    log.warn({ event: 'demonstration-failed', err: error }, 'the demonstration set could not be made');
  }
}

/** Where to call a listener, also one on every address of the machine. */
export function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
