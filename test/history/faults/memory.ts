import { type Listening, times } from '../../support/process/service-process.ts';

/** Makes a process of Node collect its garbage and say how much it holds then, whenever it gets SIGUSR2. */
const telling = `
  import { writeSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    writeSync(1, JSON.stringify({ event: 'memory', held: heapUsed + external, rss }) + '\\n');
  });`;

/** For the environment of a service that is to tell. */
export const tellingMemory = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}`,
};

/** What the process that serves holds after its garbage was collected, in bytes: on the heap and beside it; and its RSS. */
export async function memoryOf({ process: service }: Listening): Promise<{ held: number; rss: number }> {
  const before = service.log.filter(({ event }) => event === 'memory').length;
  service.child.kill('SIGUSR2');
  const told = await times(service, 'memory', before + 1);
  const { held, rss } = told.at(-1) ?? {};
  return { held: Number(held), rss: Number(rss) };
}
