/** What `--suite` runs: rooms of test/ and single files of them. A file that is named belongs there, not to its room's suite. */
export interface Suite {
  /** In the order in which they begin: what takes long first, so that no processor waits for the last one. */
  readonly of: readonly string[];
  /** One file after the other: they share ports, system services or an engine. */
  readonly oneByOne?: true;
  /** How long a test may take, in milliseconds, where that is more than .mocharc.json says. */
  readonly timeout?: number;
  /** Run before it, in the project's folder. */
  readonly prepare?: string;
  /** For its tests, unless the environment says otherwise. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Every test file belongs to exactly one of these. */
export const parts = {
  /** `npm test`: what no change may break. */
  core: {
    of: [
      'commands',
      'service/process-life',
      'embedded/npm-start',
      'listener',
      'postgres',
      'hot-path',
      'schema',
      'routes',
      'contracts',
      'tokens',
      'domain',
      'history/checker',
      'hostile/judge',
      'project/architecture',
    ],
  },
  /** Whole services, their telemetry and settings, the embedded database; and what takes long for what it protects. */
  processes: {
    of: [
      'commands/data-in-flat-memory',
      'contracts/contract-teeth',
      'tokens/service',
      'run',
      'service',
      'history',
      'hostile',
      'embedded',
      'telemetry',
      'settings',
    ],
  },
  /** What the documents say, and what the source may import. */
  docs: { of: ['documents', 'project'] },
  /** The installation, from the npm registry, by old Nodes. */
  start: { of: ['deployment/installation'], oneByOne: true },
  /** The packages that leave the workspace, as others install them from the npm registry's cache. */
  packages: { of: ['packages'], oneByOne: true, timeout: 120_000 },
  /** With programs of Debian, as root. */
  deployment: { of: ['deployment', 'hostile/framing'], oneByOne: true },
  /** With a container engine. */
  image: { of: ['image'], oneByOne: true, timeout: 120_000, prepare: 'test/image/build-images.sh' },
} satisfies Record<string, Suite>;

/** Further choices of the same files. */
export const choices = {
  /** For the loop of an editor. */
  quick: {
    of: [
      'contracts/port-contracts',
      'contracts/kit',
      ...['answers', 'authorization', 'body', 'content-type', 'methods', 'order', 'path', 'request-id'].map(
        (name) => `routes/${name}`,
      ),
      'domain',
      'history/checker',
    ],
  },
  all: { of: [...parts.core.of, ...parts.processes.of, ...parts.docs.of] },
  /** Those in which the version of PostgreSQL matters, in a container. */
  integration: {
    environment: { TEST_DATABASE: 'container' },
    of: [
      'commands/backup',
      'commands/bulk-meanwhile',
      'commands/campaigns',
      'commands/doctor',
      'commands/history',
      'commands/history-prune',
      'commands/import-export',
      'commands/keys',
      'commands/move',
      'history/workload',
      'postgres',
      'hot-path',
      'schema',
      'contracts/port-contracts',
    ],
  },
} satisfies Record<string, Suite>;

/** Runs that are programs of their own, with a `--help`. */
export const programs: Readonly<
  Record<string, { readonly words: readonly string[]; readonly prepare?: string }>
> = {
  history: { words: ['test/history/history.ts'] },
  hostile: { words: ['test/hostile/hostile.ts'] },
  cluster: { words: ['test/cluster/cluster.ts'] },
  mutation: {
    words: ['test/mutation/mutation.ts'],
    prepare:
      'npx --yes --prefer-offline pnpm@12.21.0 --dir test/mutation install --ignore-workspace --frozen-lockfile --prefer-offline',
  },
  coverage: { words: ['node_modules/c8/bin/c8.js', 'node', 'test/run/run.ts', '--suite', 'all'] },
};
