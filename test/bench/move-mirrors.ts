import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { migrate } from '@campaign-mirror/adapters-persistence';
import { Cleanup } from './cleanup.ts';
import { measuredCommand } from './measured-command.ts';
import { type Address, createLogin, describe, openServer, query } from './server.ts';

const usage = `node test/bench/move-mirrors.ts [--mirrors N]... [--dry-run] [--json]

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

const { values } = parseArgs({
  options: {
    mirrors: { type: 'string', multiple: true },
    'dry-run': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});
const sizes = (values.mirrors ?? ['10000', '100000']).map(Number);
const understood = sizes.every((size) => Number.isInteger(size) && size > 0);
if (values.help || !understood) {
  console.log(usage);
  process.exit(understood ? 0 : 2);
}
const words = ['mirror', 'move', '--from-host', 'old.example', '--to-host', 'new.example', '--subdomains'];
const options = (['dry-run', 'json'] as const).filter((name) => values[name]).map((name) => `--${name}`);

const cleanup = new Cleanup();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => cleanup.run());
try {
  const server = await openServer(cleanup);
  console.log(`${cpus().length} cores, Node ${process.version}; ${await describe(server)}`);
  console.log(`mirror move --subdomains ${options.join(' ')}`.trimEnd());
  for (const mirrors of sizes) {
    const url = await filledDatabase(server, mirrors, cleanup);
    const { seconds, peak } = await measuredCommand([...words, ...options], url, cleanup);
    const rate = (mirrors / seconds).toFixed(0);
    console.log(
      `${mirrors} mirrors: ${seconds.toFixed(1)} s, ${rate} a second, ${peak.toFixed(0)} MB at most`,
    );
  }
} finally {
  await cleanup.run();
}
