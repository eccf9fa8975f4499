import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { connect } from '../../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../../support/database/dedicated-server.ts';
import { type TcpProxy, tcpProxy } from '../../support/database/tcp-proxy.ts';
import {
  endAll,
  type Listening,
  listeningService,
  type Sharing,
  sharingServices,
  times,
} from '../../support/process/service-process.ts';
import type { Store } from '../workload/store.ts';

const database = 'mirror';

/** Makes a process of Node collect its garbage and say how much it holds then, whenever it gets SIGUSR2. */
const tellingMemory = `
  import { writeSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    writeSync(1, JSON.stringify({ event: 'memory', held: heapUsed + external, rss }) + '\\n');
  });`;

/** A service on a PostgreSQL of its own, with a network between them that can be disturbed. */
export class Stage {
  readonly server: DedicatedServer;
  readonly proxy: TcpProxy;
  readonly store: Store & { readonly admin: pg.Pool };
  readonly processes: number;
  #listening: Listening | undefined;
  #sharing: Sharing | undefined;

  private constructor(server: DedicatedServer, proxy: TcpProxy, processes: number) {
    this.server = server;
    this.proxy = proxy;
    const admin = new pg.Pool(server.address('postgres', database));
    admin.on('error', () => {});
    this.store = { admin, address: (role: Role) => server.address(roles[role], database) };
    this.processes = processes;
  }

  static async open(processes: number): Promise<Stage> {
    const server = await dedicatedServer();
    const first = await connect(server.address('postgres'));
    for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
    await first.query(`create database ${database} owner ${roles.owner}`);
    await first.end();
    await migrate(server.address(roles.owner, database));
    const { host = '', port = 0 } = server.address('postgres');
    const stage = new Stage(server, await tcpProxy({ host, port }), processes);
    await stage.startService();
    return stage;
  }

  /** Of the service that was started last. */
  get base(): string {
    return this.#sharing?.base ?? this.service.base;
  }

  /** The processes that share a port, where there are several. */
  get sharing(): Sharing {
    if (!this.#sharing) throw new Error('there is one process');
    return this.#sharing;
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
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tellingMemory)}`;
    if (this.processes === 1) this.#listening = await listeningService({ ...settings, NODE_OPTIONS });
    else this.#sharing = await sharingServices(settings, this.processes);
  }

  /** What the one process that serves holds after its garbage was collected, in bytes, and its RSS. */
  async memory(): Promise<{ held: number; rss: number }> {
    const { process: service } = this.service;
    const before = service.log.filter(({ event }) => event === 'memory').length;
    service.child.kill('SIGUSR2');
    const { held, rss } = (await times(service, 'memory', before + 1)).at(-1) ?? {};
    return { held: Number(held), rss: Number(rss) };
  }

  async close(): Promise<void> {
    await endAll();
    await this.proxy.close();
    await this.store.admin.end();
    await this.server.remove();
  }
}
