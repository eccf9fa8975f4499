import { mkdirSync, writeFileSync } from 'node:fs';
import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import pg from 'pg';
import type { Store } from '../history/workload/store.ts';
import { connect } from '../support/database/client.ts';
import { RedisServer } from '../support/deployment/redis-server.ts';
import { configuration } from '../support/documents/documented.ts';
import { eventually } from '../support/eventually.ts';
import { nodeOptions } from '../support/process/node-options.ts';
import { projectFolder, type RunningProcess, start } from '../support/process/service-process.ts';
import { folder, here, Machine } from './machine.ts';
import { Patroni } from './patroni.ts';
import { documented, program } from './programs.ts';

const database = 'mirror';
const password = 'of-a-role';
const superuser = { user: 'postgres', password: 'superuser-password' };

/** Where HAProxy leads to the primary, on each machine that has one; and to the service. */
const [proxied, front, proxyState] = [{ host: '127.0.0.1', port: 5000 }, 8080, 'http://127.0.0.1:8404/'];

/** Two services before a PostgreSQL cluster, all of it in this process' namespaces. */
export class Stage {
  readonly patroni: Patroni;
  readonly etcd: Machine;
  readonly store: Store & { readonly admin: pg.Pool };
  readonly base = `http://127.0.0.1:${front}`;
  readonly services: readonly Machine[];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #running = new Map<Machine, RunningProcess>();

  private constructor(patroni: Patroni, etcd: Machine, redis: RedisServer) {
    this.patroni = patroni;
    this.etcd = etcd;
    this.services = [1, 2].map((number) => new Machine(`service${number}`, `10.0.0.2${number}`));
    const admin = new pg.Pool({ ...proxied, ...superuser, database });
    admin.on('error', () => {});
    const address = (role: Role) => ({ ...proxied, user: roles[role], password, database });
    this.store = { admin, address };
    this.#settings = {
      HOST: '0.0.0.0',
      PORT: '3000',
      OPS_HOST: '0.0.0.0',
      OPS_PORT: '3001',
      DATABASE_URL: `postgres://${roles.service}:${password}@${proxied.host}:${proxied.port}/${database}`,
      RUN_MIGRATIONS: 'false',
      REDIS_URL: `redis://${here}:${redis.port}/0`,
      RATE_LIMIT: '100000/1s',
      FAILED_KEY_LIMIT: 'off',
      SHUTDOWN_DELAY: '2s',
    };
  }

  /** Once, on an open network. */
  static async open({ isSynchronous = true } = {}): Promise<Stage> {
    const etcd = new Machine('etcd', '10.0.0.5');
    mkdirSync(`${folder}/etcd`);
    const command = (await documented('sh', { '/var/lib/etcd/mirrors': `${folder}/etcd` })).split(' ');
    const store = etcd.run([program(command[0] ?? ''), ...command.slice(1)]);
    await store.says(() => store.errors.includes('ready to serve client requests') || undefined);
    const redis = await RedisServer.start((port) => [
      '--port',
      `${port}`,
      '--bind',
      here,
      '--protected-mode',
      'no',
    ]);
    const stage = new Stage(new Patroni({ isSynchronous }), etcd, redis);
    await stage.patroni.create();
    await stage.#proxy();
    await stage.#createDatabase();
    for (const machine of stage.services) await stage.startService(machine);
    for (const machine of stage.services) await stage.isServed(machine);
    return stage;
  }

  async startService(machine: Machine): Promise<void> {
    const main = `${projectFolder}packages/app/src/main.ts`;
    const service = machine.run([process.execPath, ...nodeOptions, main], this.#settings);
    this.#running.set(machine, service);
    await service.event('listening');
  }

  /** As systemd stops it. */
  async stopService(machine: Machine): Promise<void> {
    await this.#running.get(machine)?.stop();
  }

  /** Resolves when callers are led to it. */
  async isServed(machine: Machine): Promise<void> {
    await proxyTells(`mirrors,${machine.name}`, 'UP', 1);
  }

  /** A file for each machine. */
  keepLogs(path: string): void {
    mkdirSync(path, { recursive: true });
    for (const { name, log } of [...this.patroni.machines, ...this.services])
      writeFileSync(`${path}/${name}.log`, log);
  }

  /** On the machines of the service, and here for everybody else. */
  async #proxy(): Promise<void> {
    const file = `${folder}/haproxy.cfg`;
    writeFileSync(file, await configuration('ops/cluster/haproxy.cfg'));
    const command = [program('haproxy'), '-db', '-f', file];
    for (const machine of this.services) machine.run(command);
    start(command[0] as string, command.slice(1), {});
  }

  async #createDatabase(): Promise<void> {
    // Until it has looked, HAProxy leads everywhere.
    await proxyTells('postgres,db\\d', 'DOWN', this.patroni.machines.length - 1);
    const first = await connect({ ...proxied, ...superuser, database: 'postgres' });
    for (const role of Object.values(roles))
      await first.query(`create role ${role} login password '${password}'`);
    await first.query(`create database ${database} owner ${roles.owner}`);
    await first.end();
    await migrate(this.store.address('owner'));
  }
}

/** Resolves when HAProxy says so of so many of these servers. */
async function proxyTells(servers: string, state: 'UP' | 'DOWN', count: number): Promise<void> {
  await eventually(`HAProxy that tells ${state} of ${servers}`, async () => {
    const table = await (await fetch(`${proxyState};csv`).catch(() => expect.fail('no answer'))).text();
    const lines = table.match(new RegExp(`^${servers},(?:[^,]*,){15}${state}`, 'gm')) ?? [];
    expect(lines, table).to.have.length(count);
  });
}
