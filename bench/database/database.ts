import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence/service';
import type { Cleanup } from '../machine/run.ts';
import { type Seed, seed } from './seed.ts';
import { describeServer, openServer, query } from './server.ts';

export type Databases = Awaited<ReturnType<typeof openDatabases>>;

export interface Database {
  /** For a service: what may be done there is what its role may. */
  readonly url: URL;
  /** For the superuser. */
  readonly admin: URL;
}

/** A server with a database that is filled, and copies of it. */
export async function openDatabases(filling: Seed, cleanup: Cleanup) {
  const server = await openServer(cleanup);
  const role = 'campaign_mirror_bench';
  const password = randomBytes(16).toString('hex');
  await query(server, `create role ${role} login password '${password}' in role ${roles.service}`);
  let count = 0;
  const created = async (options = ''): Promise<Database> => {
    count += 1;
    const name = `${role}_${count}`;
    await query(server, `create database ${name} ${options}`);
    const admin = new URL(name, server);
    const url = Object.assign(new URL(name, server), { username: role, password });
    return { url, admin };
  };
  const filled = async (checkout: string): Promise<string> => {
    const { admin } = await created();
    const { hostname: host, port, username: user, password: secret } = admin;
    const database = admin.pathname.slice(1);
    const { migrate } = await import(join(checkout, 'packages/adapters-persistence/src/index.ts'));
    await migrate({ host, port: Number(port), user, password: secret, database });
    await seed(admin, filling);
    return database;
  };
  const first = `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as id`;
  const [process] = await query<{ id: number }>(server, first);
  const templates = new Map<string, Promise<string>>();
  return {
    server: await describeServer(server),
    /** Its first process. */
    postmaster: process?.id ?? 0,
    /** Each is one of its own, with the schema of this checkout of the project, or of another one. */
    copy: async (checkout = join(import.meta.dirname, '../..')) => {
      const template = templates.get(checkout) ?? filled(checkout);
      templates.set(checkout, template);
      return created(`template ${await template} strategy file_copy`);
    },
  };
}
