import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { start } from '../support/process/service-process.ts';
import { program as anyProgram } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { sendSignal } from '../support/run-folder.ts';

export const program = (name: string) => anyProgram(name, 'ops/debian-packages-cluster');

/** The folder with all files of the cluster, in memory. */
export const folder = '/run/cluster';

const ip = (words: string) => execFileSync(program('ip'), words.split(' '), { encoding: 'utf8' });

/** Sets up disk, shared memory and network in the new namespaces of this process. Call it once. */
export function openNetwork(): void {
  for (const disk of ['/run', '/dev/shm']) execFileSync(program('mount'), ['-t', 'tmpfs', 'tmpfs', disk]);
  execFileSync('chmod', ['1777', '/dev/shm']);
  mkdirSync(folder);
  ip('link set lo up');
  ip('link add net type bridge');
  ip('link set net up');
  ip('address add 10.0.0.1/24 dev net');
}

export type Machine = ReturnType<typeof openMachine>;

/** A machine of the cluster: a network namespace, whose processes are killed and disconnected together. */
export function openMachine(name: string, address: string) {
  ip(`netns add ${name}`);
  ip(`link add ${name} type veth peer name eth0 netns ${name}`);
  ip(`link set ${name} master net up`);
  ip(`-n ${name} address add ${address}/24 dev eth0`);
  ip(`-n ${name} link set eth0 up`);
  ip(`-n ${name} link set lo up`);
  return {
    name,
    address,
    run: (command: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
      start(program('ip'), ['netns', 'exec', name, ...command], settings),
    kill: () =>
      eventually(`the end of ${name}`, () => {
        const left = ip(`netns pids ${name}`).split('\n').filter(Boolean).map(Number);
        for (const id of left) sendSignal(id, 'SIGKILL');
        expect(left).to.deep.equal([]);
      }),
    unplug: () => ip(`link set ${name} down`),
    plugIn: () => ip(`link set ${name} up`),
    /** Drops all packets to an address. */
    cutOff: (to: string) => ip(`-n ${name} route add blackhole ${to}/32`),
    letThrough: (to: string) => ip(`-n ${name} route delete blackhole ${to}/32`),
  };
}
