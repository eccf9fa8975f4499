import { globSync } from 'node:fs';
import { projectFolder } from '../support/workspace.ts';

interface Suite {
  /** Folders of test/, and files without `.test.ts`, in the order in which they begin: the slow ones first. */
  readonly of: readonly string[];
  /** Runs one file after another, because they share ports, system services or an engine. */
  readonly oneByOne?: true;
  /** A command that runs before the tests, in the project's folder. */
  readonly prepare?: string;
  /** Variables of the tests, unless our own environment has them. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Every test file belongs to one of these suites. A file that is named does not run with its folder. */
const parts = {
  /** `npm test` */
  core: {
    of: [
      ...['permutations', 'contracts', 'commands', 'service/process-life', 'embedded/npm-start', 'listener'],
      ...['postgres', 'hot-path', 'schema', 'feed/clicks', 'routes', 'tokens', 'domain', 'history/checker'],
      'project/architecture',
    ],
  },
  processes: {
    of: [
      ...['contracts/kit', 'commands/follow-failover', 'feed', 'service'],
      ...['history', 'hostile', 'embedded', 'telemetry', 'settings'],
    ],
  },
  docs: { of: ['documents/runbook', 'documents', 'project'] },
  start: { of: ['deployment/installation', 'deployment/redirector-nodes'], oneByOne: true },
  packages: { of: ['packages'], oneByOne: true },
  deployment: { of: ['deployment/deploy-with-systemd', 'deployment', 'hostile/framing'] },
  image: { of: ['image'], oneByOne: true, prepare: 'test/image/build-images.sh' },
} satisfies Record<string, Suite>;

export const suites: Readonly<Record<string, Suite>> = {
  ...parts,
  quick: { of: ['contracts', 'routes', 'domain', 'history/checker'] },
  permutations: { of: ['permutations'], environment: { PERMUTATIONS: 'all' } },
  all: { of: [...parts.core.of, ...parts.processes.of, ...parts.docs.of] },
  /** The tests that depend on the version of PostgreSQL. */
  integration: {
    environment: { TEST_DATABASE: 'container' },
    of: [
      ...['doctor', 'history', 'history-prune', 'import-export', 'move'].map((name) => `commands/${name}`),
      ...['history/workload', 'postgres', 'hot-path', 'schema', 'feed/clicks', 'contracts/port-contracts'],
    ],
  },
};

/** The test files of a suite. @throws Error if a test file belongs to no suite */
export function filesOf({ of }: Suite): string[] {
  const found = globSync('*/**/*.test.ts', { cwd: `${projectFolder}test`, exclude: ['node_modules'] });
  const files = found.map((file) => file.replace(/\.test\.ts$/, '')).sort();
  const folderOf = (file: string) => file.slice(0, file.indexOf('/'));
  const named = new Set(Object.values<Suite>(parts).flatMap((part) => part.of));
  const lost = files.filter((file) => !named.has(file) && !named.has(folderOf(file)));
  if (lost.length > 0) throw new Error(`test/run/suites.ts: no suite has ${lost}`);
  const isOf = (name: string, file: string) => file === name || (folderOf(file) === name && !named.has(file));
  return of.flatMap((name) => files.filter((file) => isOf(name, file)));
}

/** Suites that are programs of their own. */
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
