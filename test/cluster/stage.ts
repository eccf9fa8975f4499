import { mkdirSync, writeFileSync } from 'node:fs';
import { migrate, type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import pg from 'pg';
import { connect } from '../support/database/client.ts';
import { configuration, named } from '../support/documents/blocks.ts';
import * as processes from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { read } from '../support/workspace.ts';
import { folder, openMachine, openNetwork, program } from './machine.ts';
import { openPatroni } from './patroni.ts';

const database = 'mirror';
const password = 'of-a-role';
const superuser = { user: 'postgres', password: 'superuser-password' };
/** The address at which HAProxy forwards to the primary, on each machine that has one. */
const proxied = { host: '127.0.0.1', port: 5000 };

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Starts a PostgreSQL cluster and two services in the namespaces of this process. Call it once. */
export async function openStage() {
  openNetwork();
  const etcd = openMachine('etcd', '10.0.0.5');
  const services = [1, 2].map((number) => openMachine(`service${number}`, `10.0.0.2${number}`));
  mkdirSync(`${folder}/etcd`);
  const command = named(await read('docs/how-to/cluster.md'), 'shown: test/cluster runs it').get('');
  const here = String(command).replace('/var/lib/etcd/mirrors', `${folder}/etcd`);
  const [name = '', ...words] = here.split(' ');
  const server = etcd.run([program(name), ...words]);
  await server.says(() => server.errors.includes('ready to serve client requests') || undefined);
  const patroni = await openPatroni();

  // On the machines of the services, and here for callers and tests.
  writeFileSync(`${folder}/haproxy.cfg`, await configuration('ops/cluster/haproxy.cfg'));
  const haproxy = ['-db', '-f', `${folder}/haproxy.cfg`];
  for (const machine of services) machine.run([program('haproxy'), ...haproxy]);
  processes.start(program('haproxy'), haproxy, {});
  // Before its first checks, HAProxy forwards to every server.
  await proxyTells('postgres,db\\d', 'DOWN', patroni.machines.length - 1);

  const first = await connect({ ...proxied, ...superuser, database: 'postgres' });
  for (const role of Object.values(roles))
    await first.query(`create role ${role} login password '${password}'`);
  await first.query(`create database ${database} owner ${roles.owner}`);
  await first.end();
  const address = (role: Role) => ({ ...proxied, user: roles[role], password, database });
  await migrate(address('owner'));
  const admin = new pg.Pool({ ...proxied, ...superuser, database });
  admin.on('error', () => {});

  for (const machine of services) {
    const service = machine.run([process.execPath, ...processes.nodeOptions, processes.main], {
      HOST: '0.0.0.0',
      PORT: '3000',
      OPS_HOST: '0.0.0.0',
      OPS_PORT: '3001',
      DATABASE_URL: `postgres://${roles.service}:${password}@${proxied.host}:${proxied.port}/${database}`,
      RUN_MIGRATIONS: 'false',
      RATE_LIMIT: '100000/1s',
      FAILED_KEY_LIMIT: 'off',
    });
    await service.event('listening');
    await proxyTells(`mirrors,${machine.name}`, 'UP', 1);
  }
  return { patroni, etcd, store: { admin, address }, base: 'http://127.0.0.1:8080' };
}

/** Resolves when HAProxy reports the state for `count` of these servers. */
async function proxyTells(servers: string, state: 'UP' | 'DOWN', count: number): Promise<void> {
  await eventually(`${servers} in the state ${state}`, async () => {
    const answer = await fetch('http://127.0.0.1:8404/;csv').catch(() => expect.fail('no answer'));
    const table = await answer.text();
    const lines = table.match(new RegExp(`^${servers},(?:[^,]*,){15}${state}`, 'gm')) ?? [];
    expect(lines, table).to.have.length(count);
  });
}
