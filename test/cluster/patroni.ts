import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { configuration } from '../support/documents/documented.ts';
import { eventually } from '../support/eventually.ts';
import { folder, Machine } from './machine.ts';
import { program } from './programs.ts';

/** What Patroni tells of a server. */
export interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  readonly lag?: number | 'unknown';
}

/** In milliseconds: for one look, and for a server that was away to be back. */
const [look, back] = [1_000, 60_000];

/** PostgreSQL on machines, as Patroni keeps it. */
export class Patroni {
  readonly machines: readonly Machine[];
  readonly #isSynchronous: boolean;

  constructor({ isSynchronous }: { readonly isSynchronous: boolean }) {
    this.#isSynchronous = isSynchronous;
    this.machines = [11, 12, 13].map((number) => new Machine(`db${number - 10}`, `10.0.0.${number}`));
  }

  /** For the first time. */
  async create(): Promise<void> {
    for (const { name, address } of this.machines) {
      const own = `${folder}/${name}`;
      mkdirSync(own, { mode: 0o700 });
      const text = await configuration('ops/cluster/patroni.yml', {
        db1: name,
        '10.0.0.11': address,
        '/var/lib/postgresql': own,
        // What is answered may be lost, and a standby that knows less becomes the primary.
        ...(!this.#isSynchronous && {
          'synchronous_mode: true': 'synchronous_mode: false',
          'synchronous_mode_strict: true': `maximum_lag_on_failover: ${2 ** 30}`,
        }),
      });
      writeFileSync(this.#file(name), text);
      execFileSync('chown', ['-R', 'postgres:postgres', own]);
    }
    for (const machine of this.machines) this.start(machine);
    await this.whole();
  }

  start(machine: Machine): void {
    const as = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'];
    const command = [program('setpriv'), ...as, program('patroni'), this.#file(machine.name)];
    machine.run(command);
  }

  /** The process of PostgreSQL there that starts the others. */
  postmaster({ name }: Machine): number {
    return Number.parseInt(readFileSync(`${folder}/${name}/15/mirrors/postmaster.pid`, 'utf8'), 10);
  }

  /** Resolves with the machine whose server is the primary. */
  primary(): Promise<Machine> {
    return eventually('a primary', () => this.#leader());
  }

  async #leader(): Promise<Machine> {
    const leader = (await this.#members()).find(({ role }) => role === 'leader');
    const machine = this.machines.find(({ name }) => name === leader?.name);
    expect(machine, 'a primary').not.to.equal(undefined);
    return machine as Machine;
  }

  /** Resolves with the primary, when that is another one. */
  async primaryAfter(before: Machine): Promise<Machine> {
    return eventually('another primary', async () => {
      const primary = await this.#leader();
      expect(primary).not.to.equal(before);
      return primary;
    });
  }

  /** Resolves when all servers run, and those that follow the primary have whatever was answered. */
  async whole(): Promise<void> {
    await eventually(
      'a whole cluster',
      async () => {
        const members = await this.#members();
        const told = JSON.stringify(members);
        expect(members, told).to.have.length(this.machines.length);
        const ready = ({ role, state, lag }: Member) =>
          state === 'running' && (role === 'leader' || lag === 0);
        expect(
          members.filter((member) => !ready(member)),
          told,
        ).to.deep.equal([]);
        const standbys = members.filter(({ role }) => role === 'sync_standby');
        expect(standbys, told).to.have.length(this.#isSynchronous ? 2 : 0);
      },
      { within: back },
    );
  }

  /** Hands over as planned, and resolves when Patroni says that it is done. */
  async switchOver(): Promise<void> {
    const { name, address } = await this.primary();
    const response = await fetch(`http://${address}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: name }),
    });
    if (!response.ok) throw new Error(`switch-over: ${response.status} ${await response.text()}`);
  }

  /** As the first that answers tells it; one that is cut off may be wrong for a while. */
  async #members(): Promise<Member[]> {
    const told = await Promise.all(
      this.machines.map(async ({ address }): Promise<Member[]> => {
        try {
          const options = { signal: AbortSignal.timeout(look) };
          const response = await fetch(`http://${address}:8008/cluster`, options);
          return ((await response.json()) as { members: Member[] }).members;
        } catch {
          return [];
        }
      }),
    );
    return told.find((members) => members.length > 0) ?? [];
  }

  #file(name: string): string {
    return `${folder}/${name}/patroni.yml`;
  }
}
