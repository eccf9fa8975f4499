import { globSync } from 'node:fs';
import { projectFolder } from '../support/workspace.ts';

/** What `--suite` runs: rooms of test/ and single files of them. A file that is named here does not run with its room. */
interface Suite {
  /** In the order in which they begin: what takes long first, so that no processor waits for the last one. */
  readonly of: readonly string[];
  /** One file after the other: they share ports, system services or an engine. */
  readonly oneByOne?: true;
  /** Run before it, in the project's folder. */
  readonly prepare?: string;
  /** For its tests, unless the environment says otherwise. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Every test file belongs to exactly one of these. */
const parts = {
  /** `npm test`: what no change may break. */
  core: {
    of: [
      'permutations',
      'contracts',
      'commands',
      'service/process-life',
      'embedded/npm-start',
      'listener',
      'postgres',
      'hot-path',
      'schema',
      'feed/clicks',
      'routes',
      'tokens',
      'domain',
      'history/checker',
      'project/architecture',
    ],
  },
  /** Whole services, their telemetry and settings, the embedded database; and what takes long for what it protects. */
  processes: {
    of: [
      'contracts/kit',
      'commands/data-in-flat-memory',
      'commands/follow-failover',
      'tokens/service',
      'feed',
      'service',
      'history',
      'hostile',
      'embedded',
      'telemetry',
      'settings',
    ],
  },
  /** What the documents say, and what the source may import. */
  docs: { of: ['documents/runbook', 'documents', 'project'] },
  /** The installation, and the redirector, on old Nodes from the npm registry. */
  start: { of: ['deployment/installation', 'deployment/redirector-nodes'], oneByOne: true },
  /** The packages that leave the workspace, as others install them from the npm registry's cache. */
  packages: { of: ['packages'], oneByOne: true },
  /** With programs of Debian, as root. The new Debian mostly waits for what it downloads. */
  deployment: { of: ['deployment/deploy-with-systemd', 'deployment', 'hostile/framing'] },
  /** With a container engine. */
  image: { of: ['image'], oneByOne: true, prepare: 'test/image/build-images.sh' },
} satisfies Record<string, Suite>;

/** Further choices of the same files. */
const choices = {
  /** For the loop of an editor. */
  quick: { of: ['contracts', 'routes', 'domain', 'history/checker'] },
  /** All of them: minutes. */
  permutations: { of: ['permutations'], environment: { PERMUTATIONS: 'all' } },
  all: { of: [...parts.core.of, ...parts.processes.of, ...parts.docs.of] },
  /** Those in which the version of PostgreSQL matters, in a container. */
  integration: {
    environment: { TEST_DATABASE: 'container' },
    of: [
      'commands/doctor',
      'commands/history',
      'commands/history-prune',
      'commands/import-export',
      'commands/move',
      'history/workload',
      'postgres',
      'hot-path',
      'schema',
      'feed/clicks',
      'contracts/port-contracts',
    ],
  },
} satisfies Record<string, Suite>;

export const suites: Readonly<Record<string, Suite>> = { ...parts, ...choices };

const roomOf = (file: string) => file.slice(0, file.indexOf('/'));

/** Throws if a test file does not belong to a suite, or a suite names what does not exist. */
export function filesOf({ of }: Suite): string[] {
  const found = globSync('*/**/*.test.ts', { cwd: `${projectFolder}test`, exclude: ['node_modules'] });
  const all = found.map((file) => file.replace(/\.test\.ts$/, '')).sort();
  const named = new Set(Object.values(parts).flatMap((part) => part.of));
  const there = new Set(all.flatMap((file) => [file, roomOf(file)]));
  const lost = all.filter((file) => !named.has(file) && !named.has(roomOf(file)));
  const absent = Object.values(suites).flatMap((suite) => suite.of.filter((name) => !there.has(name)));
  if (lost.length > 0 || absent.length > 0)
    throw new Error(`test/run/suites.ts: no suite has [${lost}], and there is no [${absent}]`);
  return of.flatMap((name) =>
    all.filter((file) => file === name || (roomOf(file) === name && !named.has(file))),
  );
}

/** Runs that are programs of their own, with a `--help`. */
export const programs: Readonly<
  Record<string, { readonly words: readonly string[]; readonly prepare?: string }>
> = {
  history: { words: ['test/history/history.ts'] },
  cluster: { words: ['test/cluster/cluster.ts'] },
  mutation: {
    words: ['test/mutation/mutation.ts'],
    prepare:
      'node_modules/.cache/pnpm/node_modules/pnpm/pnpm --dir test/mutation install --ignore-workspace --frozen-lockfile --prefer-offline',
  },
  coverage: { words: ['node_modules/c8/bin/c8.js', 'node', 'test/run/run.ts', '--suite', 'all'] },
};
