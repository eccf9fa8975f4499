import { type RunningProcess, start } from '../process/service-process.ts';

/** What test/image/build-images.sh makes. */
export const images = {
  ours: 'campaign-mirror-test/image',
  node: 'campaign-mirror-test/node',
  postgres: 'campaign-mirror-test/postgres',
  caddy: 'campaign-mirror-test/caddy',
} as const;

/** What programs of Docker find the engine by. @throws Error where there is none */
export function engine(): { readonly DOCKER_HOST: string } {
  const { DOCKER_HOST } = process.env;
  if (DOCKER_HOST === undefined) {
    throw new Error(
      'no container engine: these tests need one in DOCKER_HOST; .ci/run shows how they get it',
    );
  }
  return { DOCKER_HOST };
}

export function dockerProcess(...args: readonly string[]): RunningProcess {
  return start('docker', args, engine());
}

/** What `docker` answers. @throws Error with what it says, where it fails */
export async function docker(...args: readonly string[]): Promise<string> {
  const { code, output, errors } = await atEnd(dockerProcess(...args));
  if (code !== 0) throw new Error(`docker ${args.join(' ')}: ${output}${errors}`);
  return output.trim();
}

/** All that a process says until it ends, and how it does. */
export async function atEnd(process: RunningProcess) {
  const { code } = await process.ended;
  return { code, output: process.output, errors: process.errors };
}
