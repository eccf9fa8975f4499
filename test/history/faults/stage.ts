import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { connect } from '../../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../../support/database/dedicated-server.ts';
import { type TcpProxy, tcpProxy } from '../../support/database/tcp-proxy.ts';
import { listeningFleet } from '../../support/process/primary-process.ts';
import { endAll, type Listening, listeningService } from '../../support/process/service-process.ts';
import type { Store } from '../workload/store.ts';

const database = 'mirror';

/** A service on a PostgreSQL of its own, with a network between them that can be disturbed. */
export class Stage {
  readonly server: DedicatedServer;
  readonly proxy: TcpProxy;
  readonly store: Store & { readonly admin: pg.Pool };
  readonly #workers: number;
  #listening: Listening | undefined;

  private constructor(server: DedicatedServer, proxy: TcpProxy, store: Stage['store'], workers: number) {
    this.server = server;
    this.proxy = proxy;
    this.store = store;
    this.#workers = workers;
  }

  static async open({ workers = 1, disk = 0 } = {}): Promise<Stage> {
    const server = await dedicatedServer({ disk });
    const address = (role: Role) => server.address(roles[role], database);
    const first = await connect(server.address('postgres'));
    for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
    await first.query(`create database ${database} owner ${roles.owner}`);
    await first.end();
    await migrate(address('owner'));
    const admin = new pg.Pool(server.address('postgres', database));
    admin.on('error', () => {});
    const { host = '', port = 0 } = server.address('postgres') as { host?: string; port?: number };
    const stage = new Stage(server, await tcpProxy({ host, port }), { admin, address }, workers);
    await stage.startService();
    return stage;
  }

  /** Of the service that was started last. */
  get base(): string {
    return this.service.base;
  }

  get service(): Listening {
    if (!this.#listening) throw new Error('the service was not started');
    return this.#listening;
  }

  async startService(): Promise<void> {
    const settings = {
      DATABASE_URL: `postgres://${roles.service}@127.0.0.1:${this.proxy.port}/${database}`,
      RUN_MIGRATIONS: 'false',
      FAILED_KEY_LIMIT: 'off',
    };
    this.#listening =
      this.#workers === 1 ? await listeningService(settings) : await listeningFleet(settings, this.#workers);
  }

  async close(): Promise<void> {
    await endAll();
    await this.proxy.close();
    await this.store.admin.end();
    await this.server.remove();
  }
}
