import { randomUUID } from 'node:crypto';
import { freePort } from '../free-port.ts';
import type { RunningProcess } from '../process/service-process.ts';
import { docker, dockerProcess, images } from './container-engine.ts';

/** As compose.yaml runs it: nothing to write to, no right that it does not need. */
const confined = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];

type Environment = Readonly<Record<string, string>>;

/** The image, run on the network of the tests, so that it finds their database. */
export function inImage(
  environment: Environment,
  words: readonly string[],
  options: readonly string[] = [],
): RunningProcess {
  const variables = Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`);
  return dockerProcess(
    'run',
    '--rm',
    '--network=host',
    ...confined,
    ...variables,
    ...options,
    images.ours,
    ...words,
  );
}

/** A service in a container. */
interface ContainedService {
  readonly name: string;
  readonly process: RunningProcess;
  readonly base: string;
  readonly ops: string;
}

const started = new Set<string>();

/** Ends what a test left running: a container outlives the program that shows it. */
export async function removeContainers(): Promise<void> {
  for (const name of started) await docker('rm', '--force', name).catch(() => {});
  started.clear();
}

/** Resolves when it listens. */
export async function containedService(environment: Environment): Promise<ContainedService> {
  const name = `campaign-mirror-${randomUUID()}`;
  started.add(name);
  const [PORT, OPS_PORT] = [`${await freePort()}`, `${await freePort()}`];
  const settings = { PORT, OPS_PORT, RUN_MIGRATIONS: 'false', ...environment };
  const process = inImage(settings, [], [`--name=${name}`, '--health-interval=1s']);
  await process.event('listening');
  return { name, process, base: `http://127.0.0.1:${PORT}`, ops: `http://127.0.0.1:${OPS_PORT}` };
}

/** Resolves when the engine's health check says so for the next time. */
export async function health(name: string, status: 'healthy' | 'unhealthy'): Promise<void> {
  const events = dockerProcess(
    'events',
    '--since=1970-01-01T00:00:00Z',
    `--filter=container=${name}`,
    '--filter=event=health_status',
    '--format={{.Status}}',
  );
  await events.says(() => events.output.includes(`health_status: ${status}`) || undefined);
  await events.stop();
}

/** A field of an image or a container, as `docker inspect` knows it. */
export async function inspected<T>(name: string, field: string): Promise<T> {
  return JSON.parse(await docker('inspect', '--format', `{{json ${field}}}`, name));
}
