import { freePort } from '@campaign-mirror/embedded-postgres';
import { start } from '../process/service-process.ts';
import { program } from '../programs.ts';

export type RedisServer = Awaited<ReturnType<typeof redisServer>>;

/** Debian's Redis, on a port of its own, with nothing on the disk. Without options, as of its command line, it speaks plainly. */
export async function redisServer(options = (port: number): readonly string[] => ['--port', `${port}`]) {
  const port = await freePort();
  const words = ['--bind', '127.0.0.1', '-::1', '--save', '', ...options(port)];
  const run = async () => {
    const process = start(program('redis-server'), words, {});
    await process.says(() => process.output.includes('Ready to accept connections') || undefined);
    return process;
  };
  const server = {
    port,
    process: await run(),
    startAgain: async () => {
      server.process = await run();
    },
  };
  return server;
}
