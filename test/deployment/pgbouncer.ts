import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import type { TestDatabase } from '../support/database/database-server.ts';
import { configuration } from '../support/documents/documented.ts';
import { freePort } from '../support/free-port.ts';
import { start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';

/** Debian's PgBouncer, as the document configures it, before databases of the tests. */
export async function pgBouncer(databases: readonly TestDatabase[]) {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-pgbouncer-'));
  await chmod(folder, 0o755);
  const users = join(folder, 'userlist.txt');
  const lines = Object.keys(roles).map((role) => {
    const { user, password } = databases[0]?.address(role as Role) ?? {};
    return `"${user}" "${password}"\n`;
  });
  await writeFile(users, lines.join(''));
  const servers = databases.map((one) => {
    const { host, port } = one.address('service');
    return `${one.name} = host=${host} port=${port}`;
  });
  const ini = join(folder, 'pgbouncer.ini');
  const text = await configuration('ops/pgbouncer.ini', {
    'mirrors = host=db.example port=5432': servers.join('\n'),
    'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
    '/etc/pgbouncer/userlist.txt': users,
  });
  await writeFile(ini, text);
  // It refuses to run as root.
  const running = start(program('pgbouncer'), ['-u', 'nobody', ini], {});
  await running.says(() => running.errors.includes('process up') || undefined);
  return {
    url: (database: TestDatabase, role: Role) =>
      Object.assign(new URL(database.url(role)), { host: `127.0.0.1:${port}` }).href,
    /** For the ports: as the service has it with the setting that a pooler needs. */
    address: (database: TestDatabase, role: Role): ReturnType<TestDatabase['address']> => ({
      ...database.address(role),
      ...{ host: '127.0.0.1', port, pooled: true },
    }),
  };
}
