import { freePort } from '../../packages/app/src/embedded/port.ts';
import type { Cleanup } from './cleanup.ts';
import type { Cores } from './cores.ts';
import type { LoadGenerator } from './generator.ts';
import { loadOf } from './load.ts';
import { startService } from './processes.ts';

const seconds = 2;

/** Requests a second that the generator reaches, with 64 connections, against a server that answers at once. */
export async function generatorCeiling(
  generator: LoadGenerator,
  cores: Cores | undefined,
  cleanup: Cleanup,
): Promise<number> {
  const program = { script: 'ceiling.ts', port: await freePort(), environment: {} };
  const server = await startService(program, cores, cleanup);
  const asking = { port: server.port, load: loadOf('64'), seconds };
  await generator.carryOut({ ...asking, seconds: 1 });
  const answers = await generator.carryOut(asking);
  await server.end();
  return answers.requests / answers.seconds;
}
