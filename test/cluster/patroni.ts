import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { configuration } from '../support/documents/documented.ts';
import { eventually } from '../support/promises.ts';
import { folder, Machine, program } from './machine.ts';

/** What Patroni reports of a server. */
interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  readonly lag?: number | 'unknown';
}

/** PostgreSQL on machines, as Patroni keeps it. */
export class Patroni {
  readonly machines = [1, 2, 3].map((number) => new Machine(`db${number}`, `10.0.0.1${number}`));

  /** For the first time. */
  async create(): Promise<void> {
    for (const { name, address } of this.machines) {
      const own = `${folder}/${name}`;
      mkdirSync(own, { mode: 0o700 });
      const text = await configuration('ops/cluster/patroni.yml', {
        db1: name,
        '10.0.0.11': address,
        '/var/lib/postgresql': own,
      });
      writeFileSync(`${own}/patroni.yml`, text);
      execFileSync('chown', ['-R', 'postgres:postgres', own]);
    }
    for (const machine of this.machines) this.start(machine);
    await this.whole();
  }

  start(machine: Machine): void {
    const as = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'];
    machine.run([program('setpriv'), ...as, program('patroni'), `${folder}/${machine.name}/patroni.yml`]);
  }

  /** The process of PostgreSQL there that starts the others. */
  postmaster({ name }: Machine): number {
    return Number.parseInt(readFileSync(`${folder}/${name}/15/mirrors/postmaster.pid`, 'utf8'), 10);
  }

  /** Resolves with the machine whose server is the primary, when that is another one than `after`. */
  primary({ after }: { readonly after?: Machine } = {}): Promise<Machine> {
    return eventually(after ? 'another primary' : 'a primary', async () => {
      const leader = (await this.#members()).find(({ role }) => role === 'leader');
      const machine = this.machines.find(({ name }) => name === leader?.name);
      if (machine === undefined || machine === after) expect.fail(`the primary is ${leader?.name}`);
      return machine;
    });
  }

  /** Resolves when all servers run, and those that follow the primary have whatever was answered. */
  async whole(): Promise<void> {
    const isReady = ({ role, state, lag }: Member) => state === 'running' && (role === 'leader' || lag === 0);
    const look = async () => {
      const members = await this.#members();
      const standbys = members.filter(({ role }) => role === 'sync_standby');
      const counts = [members.filter(isReady).length, members.length, standbys.length];
      expect(counts, JSON.stringify(members)).to.deep.equal([3, 3, 2]);
    };
    await eventually('a whole cluster', look, { within: 60_000 });
  }

  /** Hands over as planned, and resolves when Patroni says that it is done. */
  async switchOver(): Promise<void> {
    const { name, address } = await this.primary();
    const body = JSON.stringify({ leader: name });
    const response = await fetch(`http://${address}:8008/switchover`, { method: 'POST', body });
    if (!response.ok) throw new Error(`switch-over: ${response.status} ${await response.text()}`);
  }

  /** As the first that answers reports it; one that is cut off may be wrong for a while. */
  async #members(): Promise<readonly Member[]> {
    const told = await Promise.all(
      this.machines.map(async ({ address }): Promise<readonly Member[]> => {
        try {
          const signal = AbortSignal.timeout(1_000);
          const response = await fetch(`http://${address}:8008/cluster`, { signal });
          return ((await response.json()) as { members: Member[] }).members;
        } catch {
          return [];
        }
      }),
    );
    return told.find((members) => members.length > 0) ?? [];
  }
}
