import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The server, as it describes itself in postmaster.pid, which a killed one leaves behind. */
export async function readPostmaster(pgdata: string) {
  const text = await readFile(fileOf(pgdata), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  return { processId: Number(lines[0]), port: Number(lines[3]), isReady: lines[7] === 'ready' };
}

/**
 * Removes a postmaster.pid of no server, for which PostgreSQL would refuse to start: it names a process that is alive but
 * another program, as Linux says, or is empty after a loss of power. Any other is judged by PostgreSQL, which looks at more.
 */
export async function removeStale(pgdata: string): Promise<void> {
  const found = await readPostmaster(pgdata);
  if (found === undefined) return;
  const words = await readFile(`/proc/${found.processId}/cmdline`, 'utf8').catch(() => undefined);
  // A server that has just started may not have written it yet.
  const isStale = found.processId
    ? words && !words.includes(`\0-D\0${pgdata}\0`)
    : Date.now() - (await stat(fileOf(pgdata))).mtimeMs > 2_000;
  if (isStale) await rm(fileOf(pgdata));
}

const fileOf = (pgdata: string) => join(pgdata, 'postmaster.pid');
