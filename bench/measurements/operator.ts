import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'd3-array';
import { projectFolder, start } from '../../test/support/process/service-process.ts';
import { openDatabases, query } from '../database/database.ts';
import { seedOf } from '../database/seed.ts';
import { number, table } from '../figures/statistics.ts';
import { type Cleanup, cleanUp, machine, temporaryFolder } from '../machine/machine.ts';
import type { Options } from './rounds.ts';

const small = 1_000_000;
const changesOfEach = 6;
/** About how many changes are pruned, at any size. */
const pruned = 500_000;
const setFromFile = 20_000;

const bare = "select count(*) from campaign_mirror.mirrors where target_url like '%blocked.example%'";

const addresses = (campaigns: number, moving: number) => `
  'https://' || case when campaign % ${Math.ceil(campaigns / moving)} = 0 then 'blocked'
      else 'lp-' || campaign % 5000 end
    || '.example/offer/' || campaign || '?click={click_id}&s=' || md5(campaign::text)`;

interface Operating extends Options {
  /** The folder of another checkout, whose commands are measured, too. */
  readonly before?: string | undefined;
  /** The number of mirrors on the host that moves, at any size. */
  readonly moving?: number | undefined;
}

/** The time of the operator's commands, each a process with a small heap, beside a bare scan of all addresses. */
export async function operator(options: Operating, cleanup: Cleanup): Promise<readonly string[]> {
  const seconds: Record<string, Record<string, string>> = {};
  const faults: string[] = [];
  for (const campaigns of options.campaigns > small ? [small, options.campaigns] : [options.campaigns]) {
    const own: Cleanup = [];
    cleanup.push(() => cleanUp(own));
    const { moving = 2_500, changes = campaigns * changesOfEach, rounds } = options;
    const seed = { ...seedOf(campaigns, changes), addresses: addresses(campaigns, moving) };
    const databases = await openDatabases(seed, own);
    console.error(`${machine(false)}\n${databases.server}\n${campaigns} campaigns, ${changes} changes`);
    for (const checkout of [options.before, projectFolder]) {
      if (checkout === undefined) continue;
      const side = checkout === projectFolder ? '' : ', before';
      const { admin } = await databases.copy(checkout);
      const folder = await temporaryFolder(own);
      const report = (what: string, times: readonly number[]) => {
        console.error(`${campaigns} campaigns${side}, ${what}: ${times.map((one) => number(one, 2))}`);
        const row = seconds[what] ?? { 'seconds of': what };
        seconds[what] = { ...row, [`at ${campaigns}${side}`]: number(median(times), 2) };
      };
      await measure({ rounds, campaigns, changes, moving, checkout, admin, folder, faults, report });
    }
    await cleanUp(own);
  }
  console.log(table(Object.values(seconds)));
  return faults;
}

interface Run extends Required<Pick<Options, 'rounds' | 'campaigns'>> {
  readonly changes: number;
  readonly moving: number;
  readonly checkout: string;
  /** Of a filled database with the schema of the checkout. */
  readonly admin: URL;
  readonly folder: string;
  readonly faults: string[];
  report(what: string, times: readonly number[]): void;
}

async function measure({ rounds, campaigns, changes, moving, checkout, admin, folder, faults, report }: Run) {
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
    report(what, taken);
    return result;
  };
  const settings = { DATABASE_URL: admin.href, NODE_OPTIONS: '--max-old-space-size=64' };
  const run = (words: string, times = 1, what = words, expected = 0) =>
    timed(what, times, async () => {
      const command = start(join(checkout, 'campaign-mirror'), words.split(' '), settings);
      const { code, output, errors } = await command.done();
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
  const line = (at: number) => `${at * step + 1},https://set.example/${at}`;
  const set = await written('campaign,address', setFromFile, line);
  await run(`mirror set --file ${set} --yes`, 1, `mirror set --file of ${setFromFile} lines`);
  await run('audit --limit 50', rounds);
  await run('mirror history 42', rounds);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const ofKey = 'mirror history --key 7 --since';
  await run(`${ofKey} ${yesterday}`, rounds, `${ofKey} yesterday`);
  await run(`import ${await campaignsNamed('New', 4_000)}`, 1, 'import of 4,000 lines');
  const again = await campaignsNamed('Campaign', 100_000);
  await run(`import ${again} --json`, 1, 'import of 100,000 existing lines: refused', 1);
  await run(`import ${again} --allow-duplicates`, 1, 'the same with --allow-duplicates');
  const days = Math.floor((changes - pruned) / 86_400);
  await run(`history prune --older-than ${days}d --yes`, 1, `history prune of about ${pruned} changes`);
}
