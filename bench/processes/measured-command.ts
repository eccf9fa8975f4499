import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';

const launcher = fileURLToPath(new URL('../../campaign-mirror', import.meta.url));
const preload = new URL('./peak-memory.ts', import.meta.url).href;

export interface CommandFigures {
  readonly seconds: number;
  /** The greatest resident memory, in MB. */
  readonly peak: number;
}

/** Runs `./campaign-mirror …`, whose output goes nowhere. @throws Error when it does not end with 0 */
export async function measuredCommand(
  words: readonly string[],
  url: string,
  cleanup: Cleanup,
): Promise<CommandFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'peak');
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: url,
    NODE_OPTIONS: `--import=${preload}`,
    PEAK_MEMORY_FILE: file,
  };
  const begun = performance.now();
  const child = spawn(launcher, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  cleanup.add(async () => void child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - begun) / 1000;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  return { seconds, peak: Number(await readFile(file, 'utf8')) / 1024 };
}
