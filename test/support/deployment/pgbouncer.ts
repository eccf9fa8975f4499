import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence';
import type { TestDatabase } from '../database/database-server.ts';
import { configuration, documented as documentedIn } from '../documents/documented.ts';
import { freePort } from '../free-port.ts';
import { type RunningProcess, start } from '../process/service-process.ts';
import { program } from '../programs.ts';

const document = 'docs/how-to/own-postgresql.md';

/** A block of the document, for databases of the tests. @throws Error where there is none */
export const documented = (language: string, replaced: Readonly<Record<string, string>>) =>
  documentedIn(document, language, replaced);

/** Debian's PgBouncer, as ops/pgbouncer.ini configures it, before databases of the tests. */
export class PgBouncer {
  readonly #port: number;
  readonly #folder: string;
  readonly #process: RunningProcess;

  private constructor(port: number, folder: string, process: RunningProcess) {
    this.#port = port;
    this.#folder = folder;
    this.#process = process;
  }

  static async start(databases: readonly TestDatabase[]): Promise<PgBouncer> {
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-pgbouncer-'));
    await chmod(folder, 0o755);
    const users = join(folder, 'userlist.txt');
    const lines = Object.keys(roles).flatMap((role) => {
      const { user, password } = databases[0]?.address(role as keyof typeof roles) ?? {};
      return `"${user}" "${password}"\n`;
    });
    await writeFile(users, lines.join(''));
    const servers = databases.map((one) => {
      const { host, port } = one.address('service');
      return `${one.name} = host=${host} port=${port}`;
    });
    const ini = await configuration('ops/pgbouncer.ini', {
      'mirrors = host=db.example port=5432': servers.join('\n'),
      'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
      '/etc/pgbouncer/userlist.txt': users,
    });
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, ini);
    // It refuses to run as root.
    const as = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const running = start(program('pgbouncer'), [...as, file], {});
    await running.says(() => running.errors.includes('process up') || undefined);
    return new PgBouncer(port, folder, running);
  }

  /** As `DATABASE_URL`, with the setting that a pooler needs. */
  settings(database: TestDatabase, role: keyof typeof roles) {
    return { DATABASE_URL: this.url(database, role), DATABASE_POOLER: 'transaction' };
  }

  /** For the ports: as the service has it with that setting. */
  address(database: TestDatabase, role: keyof typeof roles): ReturnType<TestDatabase['address']> {
    return { ...database.address(role), host: '127.0.0.1', port: this.#port, pooled: true };
  }

  url(database: TestDatabase, role: keyof typeof roles): string {
    const url = new URL(database.url(role));
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  async remove(): Promise<void> {
    this.#process.child.kill('SIGKILL');
    await this.#process.ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
