import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { configuration } from '../support/documents/blocks.ts';
import { eventually } from '../support/promises.ts';
import { folder, type Machine, openMachine, program } from './machine.ts';

interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  readonly lag?: number | 'unknown';
}

export type Patroni = Awaited<ReturnType<typeof openPatroni>>;

/** Starts PostgreSQL under Patroni on three machines. */
export async function openPatroni() {
  const machines = [1, 2, 3].map((number) => openMachine(`db${number}`, `10.0.0.1${number}`));

  /** The report of the first machine that answers; a disconnected one may be wrong for a while. */
  async function currentMembers(): Promise<readonly Member[]> {
    const told = machines.map(async ({ address }): Promise<readonly Member[]> => {
      try {
        const signal = AbortSignal.timeout(1_000);
        const response = await fetch(`http://${address}:8008/cluster`, { signal });
        return ((await response.json()) as { members: Member[] }).members;
      } catch {
        return [];
      }
    });
    return (await Promise.all(told)).find((members) => members.length > 0) ?? [];
  }
  function start(machine: Machine): void {
    const as = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'];
    machine.run([program('setpriv'), ...as, program('patroni'), `${folder}/${machine.name}/patroni.yml`]);
  }
  /** Resolves with the machine of the primary, once that is another one than `after`. */
  const primary = ({ after }: { readonly after?: Machine } = {}) =>
    eventually(after ? 'another primary' : 'a primary', async () => {
      const leader = (await currentMembers()).find(({ role }) => role === 'leader');
      const machine = machines.find(({ name }) => name === leader?.name);
      if (machine === undefined || machine === after) expect.fail(`the primary is ${leader?.name}`);
      return machine;
    });
  /** Resolves when all servers run, and both standbys are synchronous and have all changes. */
  async function whole(): Promise<void> {
    const isReady = ({ role, state, lag }: Member) => state === 'running' && (role === 'leader' || lag === 0);
    await eventually('a whole cluster', async () => {
      const members = await currentMembers();
      const standbys = members.filter(({ role }) => role === 'sync_standby');
      const counts = [members.filter(isReady).length, members.length, standbys.length];
      expect(counts, JSON.stringify(members)).to.deep.equal([3, 3, 2]);
    });
  }

  for (const { name, address } of machines) {
    const own = `${folder}/${name}`;
    mkdirSync(own, { mode: 0o700 });
    const replaced = { db1: name, '10.0.0.11': address, '/var/lib/postgresql': own };
    writeFileSync(`${own}/patroni.yml`, await configuration('ops/cluster/patroni.yml', replaced));
    execFileSync('chown', ['-R', 'postgres:postgres', own]);
  }
  for (const machine of machines) start(machine);
  await whole();
  return {
    machines,
    start,
    primary,
    whole,
    postmaster: ({ name }: Machine) =>
      Number.parseInt(readFileSync(`${folder}/${name}/15/mirrors/postmaster.pid`, 'utf8'), 10),
    async switchOver(): Promise<void> {
      const { name, address } = await primary();
      const body = JSON.stringify({ leader: name });
      const response = await fetch(`http://${address}:8008/switchover`, { method: 'POST', body });
      if (!response.ok) throw new Error(`switch-over: ${response.status} ${await response.text()}`);
    },
  };
}
