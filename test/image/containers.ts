import { outputOf, type RunningProcess, start } from '../support/process/service-process.ts';

export const images = {
  ours: 'campaign-mirror-test/image',
  node: 'campaign-mirror-test/node',
  postgres: 'campaign-mirror-test/postgres',
  caddy: 'campaign-mirror-test/caddy',
} as const;

/** @throws Error without a container engine */
export function engine(): { readonly DOCKER_HOST: string } {
  const { DOCKER_HOST } = process.env;
  if (DOCKER_HOST === undefined) throw new Error('DOCKER_HOST names no container engine: see .ci/run');
  return { DOCKER_HOST };
}

const dockerProcess = (...args: readonly string[]) => start('docker', args, engine());

/** The output of `docker`. @throws Error when it fails */
export const docker = async (...args: readonly string[]) => (await outputOf(dockerProcess(...args))).trim();

/** Runs the image with the rights that compose.yaml gives it, in the network of the tests. */
export function inImage(
  environment: Readonly<Record<string, string>>,
  words: readonly string[],
  options: readonly string[] = [],
): RunningProcess {
  const confined = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  const variables = Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`);
  const all = [...confined, ...variables, ...options];
  return dockerProcess('run', '--rm', '--network=host', ...all, images.ours, ...words);
}

/** Resolves when the health check of a container succeeds. */
export async function healthy(name: string): Promise<void> {
  const filters = [`--filter=container=${name}`, '--filter=event=health_status'];
  const events = dockerProcess('events', '--since=1970-01-01T00:00:00Z', ...filters, '--format={{.Status}}');
  await events.shows('health_status: healthy');
  await events.stop();
}

export async function inspected<T>(name: string, field: string): Promise<T> {
  return JSON.parse(await docker('inspect', '--format', `{{json ${field}}}`, name));
}
