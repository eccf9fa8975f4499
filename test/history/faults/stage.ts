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
    const { heapUsed, external } = process.memoryUsage();
    writeSync(1, JSON.stringify({ event: 'memory', held: heapUsed + external }) + '\\n');
  });`;

/** A service on a PostgreSQL of its own, with a network between them that can be disturbed. */
export class Stage {
  readonly server: DedicatedServer;
  readonly proxy: TcpProxy;
  readonly admin: pg.Pool;
  readonly isAlone: boolean;
  #serving: { base: string; service?: Listening; sharing?: Sharing } = { base: '' };

  private constructor(server: DedicatedServer, proxy: TcpProxy, isAlone: boolean) {
    this.server = server;
    this.proxy = proxy;
    this.admin = new pg.Pool(server.address('postgres', database));
    this.admin.on('error', () => {});
    this.isAlone = isAlone;
  }

  /** Served by one process, or by two that share a port. */
  static async open(isAlone: boolean): Promise<Stage> {
    const server = await dedicatedServer();
    const first = await connect(server.address('postgres'));
    for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
    await first.query(`create database ${database} owner ${roles.owner}`);
    await first.end();
    await migrate(server.address(roles.owner, database));
    const { host = '', port = 0 } = server.address('postgres');
    const stage = new Stage(server, await tcpProxy({ host, port }), isAlone);
    await stage.startService();
    return stage;
  }

  address(role: Role) {
    return this.server.address(roles[role], database);
  }

  /** Of the service that was started last. */
  get base(): string {
    return this.#serving.base;
  }

  /** Where there are two processes. */
  get sharing(): Sharing {
    if (!this.#serving.sharing) throw new Error('there is one process');
    return this.#serving.sharing;
  }

  /** Where there is one. */
  get service(): Listening {
    if (!this.#serving.service) throw new Error('there are two processes');
    return this.#serving.service;
  }

  async startService(): Promise<void> {
    const settings = {
      DATABASE_URL: `postgres://${roles.service}@127.0.0.1:${this.proxy.port}/${database}`,
      RUN_MIGRATIONS: 'false',
      FAILED_KEY_LIMIT: 'off',
    };
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tellingMemory)}`;
    if (this.isAlone) {
      const service = await listeningService({ ...settings, NODE_OPTIONS });
      this.#serving = { base: service.base, service };
    } else {
      const sharing = await sharingServices(settings);
      this.#serving = { base: sharing.base, sharing };
    }
  }

  /** What the one process that serves holds after its garbage was collected, in bytes, on the heap and beside it. */
  async memory(): Promise<number> {
    const { process: service } = this.service;
    const before = service.log.filter(({ event }) => event === 'memory').length;
    service.child.kill('SIGUSR2');
    return Number((await times(service, 'memory', before + 1)).at(-1)?.held);
  }

  async close(): Promise<void> {
    await endAll();
    await this.proxy.close();
    await this.admin.end();
    await this.server.remove();
  }
}
