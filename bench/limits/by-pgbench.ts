import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setMirrorText } from '../../packages/adapters-persistence/src/statements/set-mirror-text.ts';
import type { Database } from '../databases/database.ts';
import type { Seed } from '../databases/seed.ts';
import { setMirror } from '../floors/statements.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { LimitCase } from './rounds.ts';

const constants = {
  address: 'https://mirror.example/landing?click={click_id}&n=1000000000',
  is_default: 'false',
  request: 'limits-by-pgbench',
  // In a statement pgbench takes what follows a colon for a variable, between quotes too.
  format: /'([^']*:[^']*)'/.exec(setMirror.text)?.[1] ?? '',
};
const commit = 'update public.limits set n = n + 1 where id = 1';
const floor = withVariables(setMirror.text.replaceAll(`'${constants.format}'`, ':format'), [
  'campaign',
  'owner',
  'address',
]);
const ours = withVariables(setMirrorText, ['campaign', 'owner', 'is_default', 'address', 'owner', 'request']);

/** For `$1`, `$2` … variables of pgbench. */
function withVariables(text: string, names: readonly string[]): string {
  return text.replaceAll(/\$([0-9]+)/g, (_, number) => `:${names[number - 1]}`);
}

/** Such as `pgbench 15.18`; undefined where it is not installed. */
export function pgbenchVersion(): string | undefined {
  const { stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  const version = /^pgbench \(PostgreSQL\) ([0-9.]+)/.exec(stdout ?? '')?.[1];
  return version === undefined ? undefined : `pgbench ${version}`;
}

/** What the limits ask by `pg` too, as far as it is one statement, by PostgreSQL's own pgbench. */
export async function casesByPgbench(
  database: Database,
  { campaigns, keys }: Seed,
  cleanup: Cleanup,
): Promise<LimitCase[]> {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'script.sql');
  const drawn = `\\set campaign random(1, ${campaigns})\n\\set owner :campaign % ${keys.length} + 1\n`;
  const { host, port, user, password, database: name } = database.address;
  const where = [`--host=${host}`, `--port=${port}`, `--username=${user}`, name];
  const defined = Object.entries(constants).map(([name, value]) => `--define=${name}=${value}`);
  const env = { PATH: process.env.PATH ?? '', PGPASSWORD: password };

  const asked = (what: string, connections: number, statement: string): LimitCase => {
    const carryOut = async (seconds: number) => {
      await writeFile(script, `${drawn}${statement};\n`);
      const how = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--time=${seconds}`];
      const before = await recorded();
      const running = promisify(execFile)('pgbench', [...how, ...defined, `--file=${script}`, ...where], {
        env,
      });
      const forget = cleanup.add(async () => void running.child.kill());
      const { stdout, stderr } = await running;
      forget();
      const after = (words: string) => Number(new RegExp(`^${words}([0-9.]+)`, 'm').exec(stdout)?.[1]);
      const [turns, rate] = [after('number of transactions actually processed: '), after('tps = ')];
      if (after('number of failed transactions: ') !== 0 || !(turns > 0 && rate > 0))
        throw new Error(`pgbench did not carry out each statement:\n${stdout}${stderr}`);
      const set = (await recorded()) - before;
      if (statement === ours && set !== turns) throw new Error(`${what}: ${turns} statements set ${set}`);
      return { turns, seconds: turns / rate };
    };
    return { what, connections, updates: 1, carryOut };
  };
  const recorded = async () => {
    const text = 'select count(*)::int from campaign_mirror.mirror_history';
    return (await database.query<{ count: number }>(text))[0]?.count ?? 0;
  };
  return [
    asked('the smallest commit, by pgbench', 1, commit),
    asked("the floor's update, by pgbench", 1, floor),
    asked('our update, by pgbench', 1, ours),
    asked("the floor's update, by pgbench", 10, floor),
    asked('our update, by pgbench', 10, ours),
  ];
}
