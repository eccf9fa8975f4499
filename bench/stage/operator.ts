import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'd3-array';
import { projectFolder, start } from '../../test/support/process/service-process.ts';
import { openDatabases } from '../database/database.ts';
import { seedOf } from '../database/seed.ts';
import { query } from '../database/server.ts';
import { number, table } from '../figures/statistics.ts';
import { machine } from '../machine/cores.ts';
import { type Cleanup, cleanUp, temporaryFolder } from '../machine/run.ts';
import type { Options } from './bench.ts';

const small = 1_000_000;
const changesOfEach = 6;
/** About how many changes are pruned, at any size. */
const pruned = 500_000;
const setFromFile = 20_000;

const bare = "select count(*) from campaign_mirror.mirrors where target_url like '%blocked.example%'";

const addresses = (campaigns: number, moving: number) => `
  'https://' || case when campaign % ${Math.ceil(campaigns / moving)} = 0 then 'blocked' else 'lp-' || campaign % 5000 end
    || '.example/offer/' || campaign || '?click={click_id}&s=' || md5(campaign::text)`;

/** Five moves, each of 8,000 entries. */
const moves = `
  insert into campaign_mirror.operator_audit
    (act, operator, request_id, details, part_of, first_change_id, last_change_id)
  select 'mirrors-moved', 'bench', 'bench', '{"mirrors": 500}', case when n % 8000 > 0 then 1 + n - n % 8000 end, n, n
  from generate_series(0, 39999) n`;

interface Operating extends Options {
  /** The folder of another checkout, whose commands are measured, too. */
  readonly before?: string | undefined;
  /** The number of mirrors on the host that moves, at any size. */
  readonly moving?: number | undefined;
}

type Note = (what: string, times: number[]) => void;

/** How long the operator's commands take, each a process with a small heap, beside a bare scan of all addresses. */
export async function operator(options: Operating, cleanup: Cleanup): Promise<readonly string[]> {
  const seconds: Record<string, Record<string, string>> = {};
  const faults: string[] = [];
  for (const campaigns of options.campaigns > small ? [small, options.campaigns] : [options.campaigns]) {
    const own: Cleanup = [];
    cleanup.push(() => cleanUp(own));
    const { moving = 2_500, changes = campaigns * changesOfEach } = options;
    const seed = { ...seedOf(campaigns, changes), addresses: addresses(campaigns, moving) };
    const databases = await openDatabases(seed, own);
    console.error(`${machine(false)}\n${databases.server}\n${campaigns} campaigns, ${changes} changes`);
    for (const checkout of [options.before, projectFolder]) {
      if (checkout === undefined) continue;
      const side = checkout === projectFolder ? '' : ', before';
      const { admin } = await databases.copy(checkout);
      await measure(
        { ...options, campaigns, changes, moving },
        checkout,
        admin,
        own,
        faults,
        (what, times) => {
          console.error(`${campaigns} campaigns${side}, ${what}: ${times.map((one) => number(one, 2))}`);
          const row = seconds[what] ?? { 'seconds of': what };
          seconds[what] = { ...row, [`at ${campaigns}${side}`]: number(median(times), 2) };
        },
      );
    }
    await cleanUp(own);
  }
  console.log(table(Object.values(seconds)));
  return faults;
}

/** `admin`: of a database that is filled, with the schema of the checkout whose commands are measured. */
async function measure(
  { rounds, campaigns, changes, moving }: Operating & { readonly changes: number },
  checkout: string,
  admin: URL,
  cleanup: Cleanup,
  faults: string[],
  note: Note,
): Promise<void> {
  await query(admin, moves);
  const folder = await temporaryFolder(cleanup);
  const written = async (header: string, count: number, line: (at: number) => string) => {
    const file = join(folder, `${count}.csv`);
    await writeFile(file, [header, ...Array.from({ length: count }, (_, at) => line(at)), ''].join('\n'));
    return file;
  };
  const campaignsNamed = (name: string, count: number) =>
    written('owner_id,name', count, (at) => `${((at + 1) % 1_000) + 1},${name} ${at + 1}`);
  const timed = async <T>(what: string, times: number, act: () => Promise<T>): Promise<T | undefined> => {
    const taken: number[] = [];
    let result: T | undefined;
    while (taken.length < times) {
      const begin = performance.now();
      result = await act();
      taken.push((performance.now() - begin) / 1_000);
    }
    note(what, taken);
    return result;
  };
  const settings = { DATABASE_URL: admin.href, NODE_OPTIONS: '--max-old-space-size=64' };
  const run = (words: string, times = 1, what = words, expected = 0) =>
    timed(what, times, async () => {
      const { code, output, errors } = await start(
        join(checkout, 'campaign-mirror'),
        words.split(' '),
        settings,
      ).done();
      if (code !== expected) faults.push(`${words}: exit code ${code}: ${errors}`);
      return output;
    });

  const move = 'mirror move --from-host blocked.example --to-host new.example';
  await timed('a bare scan of the addresses', rounds, () => query(admin, bare));
  await run('mirror list --host blocked.example --json', rounds);
  await run('mirror list --owner 7', rounds);
  await run('campaign list --owner 7 --limit 1000', rounds);
  await run(`${move} --dry-run --json`, rounds, 'mirror move --dry-run');
  const moved = await run(`${move} --yes --json`, 1, `mirror move of ${moving} mirrors`);
  const { move: made } = JSON.parse(moved?.trim().split('\n').at(-1) ?? '{}');
  await run(`mirror move --undo ${made} --yes`, 1, 'mirror move --undo of it');
  const step = Math.floor(campaigns / setFromFile);
  const set = await written(
    'campaign,address',
    setFromFile,
    (at) => `${at * step + 1},https://set.example/${at}`,
  );
  await run(`mirror set --file ${set} --yes`, 1, `mirror set --file of ${setFromFile} lines`);
  await run('audit --limit 50', rounds, 'audit with 40,000 entries of moves');
  await run('mirror history 42', rounds);
  const ofKey = 'mirror history --key 7 --since';
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await run(`${ofKey} ${yesterday}`, rounds, `${ofKey} yesterday`);
  await run(`import ${await campaignsNamed('New', 4_000)}`, 1, 'import of 4,000 lines');
  const again = await campaignsNamed('Campaign', 100_000);
  await run(`import ${again} --json`, 1, 'import of 100,000 lines that are there: refused', 1);
  await run(`import ${again} --allow-duplicates`, 1, 'the same with --allow-duplicates');
  const days = Math.floor((changes - pruned) / 86_400);
  await run(`history prune --older-than ${days}d --yes`, 1, `history prune of about ${pruned} changes`);
}
