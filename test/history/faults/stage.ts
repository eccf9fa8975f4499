import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
import { clockLibrary } from './faults.ts';

const database = 'mirror';

/** By Debian's libfaketime: the wall clock only, as setting it does; what counts seconds goes on. */
const fakeClock = { LD_PRELOAD: clockLibrary, FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' };

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

interface Given {
  readonly processes: number;
  readonly disk: number;
  readonly clock: boolean;
}

/** A service on a PostgreSQL of its own, with a network between them that can be disturbed. */
export class Stage {
  readonly server: DedicatedServer;
  readonly proxy: TcpProxy;
  readonly store: Store & { readonly admin: pg.Pool };
  readonly processes: number;
  /** Where the service looks what time it is, if its clock can be set. */
  readonly #clock: string | undefined;
  #listening: Listening | undefined;
  #sharing: Sharing | undefined;

  private constructor(server: DedicatedServer, proxy: TcpProxy, processes: number, clock?: string) {
    this.server = server;
    this.proxy = proxy;
    const admin = new pg.Pool(server.address('postgres', database));
    admin.on('error', () => {});
    this.store = { admin, address: (role: Role) => server.address(roles[role], database) };
    this.processes = processes;
    this.#clock = clock;
  }

  static async open({ processes, disk, clock }: Given): Promise<Stage> {
    const server = await dedicatedServer({ disk });
    const first = await connect(server.address('postgres'));
    for (const role of Object.values(roles)) await first.query(`create role ${role} login`);
    await first.query(`create database ${database} owner ${roles.owner}`);
    await first.end();
    await migrate(server.address(roles.owner, database));
    const { host = '', port = 0 } = server.address('postgres');
    const file = clock ? join(await mkdtemp(join(tmpdir(), 'campaign-mirror-clock-')), 'offset') : undefined;
    const stage = new Stage(server, await tcpProxy({ host, port }), processes, file);
    if (clock) await stage.setClock('+0');
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
      ...(this.#clock && { ...fakeClock, FAKETIME_TIMESTAMP_FILE: this.#clock }),
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

  /** The service's clock is so much off from now on, as `-2h`. */
  async setClock(offset: string): Promise<void> {
    if (!this.#clock) throw new Error('the clock of this service cannot be set');
    await writeFile(this.#clock, offset);
  }

  async close(): Promise<void> {
    await endAll();
    if (this.#clock) await rm(dirname(this.#clock), { recursive: true });
    await this.proxy.close();
    await this.store.admin.end();
    await this.server.remove();
  }
}
