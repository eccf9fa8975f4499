import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redirectorIn } from '../../test/support/process/redirector.ts';
import type { Cleanup } from './run.ts';

export type Redirector = Awaited<ReturnType<typeof startRedirectors>>[number];

/** Processes of the example; `addresses`: by the names of its variables. */
export async function startRedirectors(
  count: number,
  addresses: Readonly<Record<string, string>>,
  cleanup: Cleanup,
) {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
  const startOne = await redirectorIn(folder);
  const all: Awaited<ReturnType<typeof startOne>>[] = [];
  while (all.length < count) all.push(await startOne(addresses));
  return all;
}
