import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { type RunningProcess, start } from '../support/process/service-process.ts';
import { program as anyProgram } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { sendSignal } from '../support/run-folder.ts';

export const program = (name: string) => anyProgram(name, 'ops/debian-packages-cluster');

/** Where all files of the cluster lie: in memory, and only seen from within. */
export const folder = '/run/cluster';
/** Our own end of the network. */
export const here = '10.0.0.1';

/** Words apart by spaces. */
const ip = (words: string) => execFileSync(program('ip'), words.split(' '), { encoding: 'utf8' });

/** A disk, shared memory and a network that nobody else sees. Once, in namespaces of its own. */
export function openNetwork(): void {
  for (const disk of ['/run', '/dev/shm']) execFileSync(program('mount'), ['-t', 'tmpfs', 'tmpfs', disk]);
  execFileSync('chmod', ['1777', '/dev/shm']);
  mkdirSync(folder);
  ip('link set lo up');
  ip('link add net type bridge');
  ip('link set net up');
  ip(`address add ${here}/24 dev net`);
}

/** A machine of the cluster: a network namespace, whose processes are killed and cut off together. */
export class Machine {
  readonly name: string;
  readonly address: string;

  constructor(name: string, address: string) {
    this.name = name;
    this.address = address;
    ip(`netns add ${name}`);
    ip(`link add ${name} type veth peer name eth0 netns ${name}`);
    ip(`link set ${name} master net up`);
    ip(`-n ${name} address add ${address}/24 dev eth0`);
    ip(`-n ${name} link set eth0 up`);
    ip(`-n ${name} link set lo up`);
  }

  run(command: readonly string[], settings: Readonly<Record<string, string>> = {}): RunningProcess {
    return start(program('ip'), ['netns', 'exec', this.name, ...command], settings);
  }

  /** All its processes, and those that they start meanwhile. */
  async kill(): Promise<void> {
    await eventually(`the end of ${this.name}`, () => {
      const left = ip(`netns pids ${this.name}`).split('\n').filter(Boolean).map(Number);
      for (const id of left) sendSignal(id, 'SIGKILL');
      expect(left).to.deep.equal([]);
    });
  }

  unplug(): void {
    ip(`link set ${this.name} down`);
  }

  plugIn(): void {
    ip(`link set ${this.name} up`);
  }

  /** What it sends to this address is dropped. */
  cutOff(address: string): void {
    ip(`-n ${this.name} route add blackhole ${address}/32`);
  }

  letThrough(address: string): void {
    ip(`-n ${this.name} route delete blackhole ${address}/32`);
  }
}
