import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './run.ts';
import { type Running, startService } from './service.ts';

const bench = join(import.meta.dirname, '..');

/** Processes of the example, as `npm install` leaves it. */
export async function startRedirectors(
  count: number,
  environment: Readonly<Record<string, string>>,
  cleanup: Cleanup,
): Promise<Running[]> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.push(() => rm(folder, { recursive: true, force: true }));
  await cp(join(bench, '../examples/redirector'), folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(join(bench, 'node_modules/pg'), join(folder, 'node_modules/pg'));
  const program = { script: join(folder, 'main.mjs'), environment };
  return Promise.all(Array.from({ length: count }, () => startService(program, false, cleanup)));
}
