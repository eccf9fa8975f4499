import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { openOwnDatabase } from '../../packages/app/src/database/embedded-database.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import { type Address, addressOf, query } from './queries.ts';

export const serverNote = `BENCH_DATABASE_URL, of a superuser, names the PostgreSQL to use; without it one is brought up for the run.`;

/**
 * As a superuser: BENCH_DATABASE_URL's server, or one that is brought up for the run, with so many segments of the WAL
 * (16 MB each) that are there already.
 */
export async function openServer(cleanup: Cleanup, segments: number): Promise<Address> {
  const given = process.env.BENCH_DATABASE_URL;
  if (given) return addressOf(given);
  const kept = segments > 0 && { min_wal_size: `${segments * 16}MB` };
  const { admin } = await embeddedServer(cleanup, { ...settings, ...kept });
  if (segments > 0) await makeSegments(admin, segments);
  return admin;
}

/** As the manual advises where so much is written; no checkpoint falls into somebody's round. */
const settings = {
  shared_buffers: `${Math.round(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '32GB',
  checkpoint_timeout: '1h',
};

/** As the service of its folder, so that commands use it, too. */
export async function embeddedServer(cleanup: Cleanup, settings = {}) {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  // Where we are root the database runs as another user, who has to pass through.
  await chmod(parent, 0o711);
  const folder = join(parent, 'data');
  const opening = openOwnDatabase({ folder, service: true, settings });
  cleanup.add(async () => {
    await opening.then((database) => database.close()).catch(() => {});
    await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  });
  return { folder, admin: (await opening).address('superuser') };
}

/**
 * PostgreSQL makes a new segment by writing 16 MB of zeros, and every commit waits for that (30 to 80 ms); one that has
 * been at work for a while takes its old ones under new names instead. Ours writes more WAL a second than the floor:
 * it would be stopped once a round.
 */
async function makeSegments(admin: Address, segments: number): Promise<void> {
  await query(
    admin,
    `do $$ begin
      for segment in 1..${segments} loop
        perform pg_logical_emit_message(false, 'benchmark', ''), pg_switch_wal();
      end loop;
    end $$`,
  );
  // All are behind it, so it renames them to come again; so does each one before a warm-up.
  await query(admin, 'checkpoint');
}

/** A member of one of our roles: that role's own password, if it is there already, stays what it is. */
export async function createLogin(
  admin: Address,
  role: Role,
  cleanup: Cleanup,
): Promise<Pick<Address, 'user' | 'password'>> {
  const user = `campaign_mirror_bench_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  const known = await query(admin, 'select from pg_roles where rolname = $1', [roles[role]]);
  if (known.length === 0) {
    cleanup.add(() => query(admin, `drop role if exists ${roles[role]}`));
    await query(admin, `create role ${roles[role]}`);
  }
  cleanup.add(() => query(admin, `drop role if exists ${user}`));
  await query(admin, `create role ${user} login password '${password}' in role ${roles[role]}`);
  return { user, password };
}

/** Version and what decides over its speed. */
export async function describe(admin: Address): Promise<string> {
  const setting = (name: string) => `${name} ' || current_setting('${name}')`;
  const [row] = await query<{ text: string }>(
    admin,
    `select 'PostgreSQL ' || current_setting('server_version') || ', ${setting('fsync')} || ', ${setting('synchronous_commit')} as text`,
  );
  return `${row?.text} (${process.env.BENCH_DATABASE_URL ? 'BENCH_DATABASE_URL' : 'embedded'})`;
}
