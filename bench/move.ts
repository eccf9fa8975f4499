import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { migrate } from '@campaign-mirror/adapters-persistence';
import { type Address, createLogin, describe, openServer, query } from './databases/server.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { measuredCommand } from './processes/measured-command.ts';
import { wholeNumber } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';

const usage = `npm run bench:move -- [--mirrors N]... [--dry-run] [--json]

  --mirrors   how many there are, each on the host that moves; 10000, then 100000, without it
  --dry-run   measures what \`mirror move --dry-run\` takes
  --json      lets the command answer in JSON, a line for each mirror

BENCH_DATABASE_URL, of a superuser, names the PostgreSQL to use; without it one is brought up for the run.`;

/** A database that is filled, and where the operator reaches it. */
async function filledDatabase(server: Address, mirrors: number, cleanup: Cleanup): Promise<string> {
  const { user, password } = await createLogin(server, 'operator', cleanup);
  const database = `campaign_mirror_bench_move_${randomBytes(4).toString('hex')}`;
  await query(server, `create database ${database}`);
  cleanup.add(() => query(server, `drop database if exists ${database} with (force)`));
  const inIt = { ...server, database };
  await migrate(inIt);
  await query(
    inIt,
    'insert into campaign_mirror.campaigns (id, owner_id) select n, n % 1000 + 1 from generate_series(1, $1::int) n',
    [mirrors],
  );
  await query(
    inIt,
    `insert into campaign_mirror.mirrors (campaign_id, target_url)
      select id, 'https://' || case when id % 2 = 0 then 'x.' else '' end || 'old.example/landing?click={click_id}&n=' || id
      from campaign_mirror.campaigns order by id`,
  );
  return `postgres://${user}:${password}@${server.host}:${server.port}/${database}`;
}

interface Words {
  readonly sizes: readonly number[];
  /** Those of `mirror move`. */
  readonly options: readonly string[];
}

function readWords(words: string[]): Words | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      mirrors: { type: 'string', multiple: true, default: ['10000', '100000'] },
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  return {
    sizes: values.mirrors.map((mirrors) => wholeNumber('--mirrors', mirrors, 1, 100_000_000)),
    options: (['dry-run', 'json'] as const).filter((name) => values[name]).map((name) => `--${name}`),
  };
}

async function measureAll({ sizes, options }: Words, cleanup: Cleanup): Promise<number> {
  const move = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example', '--subdomains'];
  const server = await openServer(cleanup);
  console.log(`${cpus().length} cores, Node ${process.version}; ${await describe(server)}`);
  console.log(`mirror move --subdomains ${options.join(' ')}`.trimEnd());
  for (const mirrors of sizes) {
    const url = await filledDatabase(server, mirrors, cleanup);
    const { seconds, peak } = await measuredCommand([...move, ...options], url, cleanup);
    const rate = (mirrors / seconds).toFixed(0);
    console.log(
      `${mirrors} mirrors: ${seconds.toFixed(1)} s, ${rate} a second, ${peak.toFixed(0)} MB at most`,
    );
  }
  return 0;
}

const words = wordsOf(usage, readWords);
await run((cleanup) => measureAll(words, cleanup));
