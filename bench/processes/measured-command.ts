import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { memoryOf } from './process-figures.ts';

const launcher = fileURLToPath(new URL('../../campaign-mirror', import.meta.url));

interface CommandFigures {
  readonly seconds: number;
  /** The greatest resident memory, in MB, but for what its last moments added; undefined but on Linux. */
  readonly peak: number | undefined;
}

/** Runs `./campaign-mirror …`, whose output goes nowhere. @throws Error with what it said when it does not end with 0 */
export async function measuredCommand(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  cleanup: Cleanup,
): Promise<CommandFigures> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings };
  const begun = performance.now();
  const child = spawn(launcher, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const forget = cleanup.add(async () => void child.kill('SIGTERM'));
  let peak: number | undefined;
  const looking = setInterval(() => {
    peak = memoryOf(child.pid as number, 'VmHWM') ?? peak;
  }, 50);
  const [code] = await once(child, 'exit').finally(() => clearInterval(looking));
  const seconds = (performance.now() - begun) / 1000;
  forget();
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${await said}`);
  return { seconds, peak };
}
