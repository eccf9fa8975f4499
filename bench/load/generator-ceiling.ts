import { freePort } from '../../packages/app/src/embedded/port.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Cores } from '../processes/cores.ts';
import { startService } from '../processes/processes.ts';
import type { LoadGenerator } from './generator.ts';
import { loadOf } from './load.ts';

/** Of a second each: in one of them the machine may be busy with something else. */
const rounds = 5;

/** The most requests a second that the generator reaches, with 64 connections, against a server that answers at once. */
export async function generatorCeiling(
  generator: LoadGenerator,
  cores: Cores | undefined,
  cleanup: Cleanup,
): Promise<number> {
  const program = { script: 'load/ceiling.ts', port: await freePort(), environment: {} };
  const server = await startService(program, cores, cleanup);
  const asking = { port: server.port, load: loadOf('64'), seconds: 1 };
  await generator.carryOut(asking);
  const rates: number[] = [];
  while (rates.length < rounds) {
    const { requests, seconds } = await generator.carryOut(asking);
    rates.push(requests / seconds);
  }
  await server.end();
  return Math.max(...rates);
}
