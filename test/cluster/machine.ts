import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { start } from '../support/process/service-process.ts';
import { program as anyProgram } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { sendSignal } from '../support/run-folder.ts';

export const program = (name: string) => anyProgram(name, 'ops/debian-packages-cluster');

/** Where all files of the cluster lie: in memory, and only seen from within. */
export const folder = '/run/cluster';
/** Our own end of the network. */
export const here = '10.0.0.1';

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

export type Machine = ReturnType<typeof openMachine>;

/** A machine of the cluster: a network namespace, whose processes are killed and cut off together. */
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
    /** What it sends to this address is dropped. */
    cutOff: (to: string) => ip(`-n ${name} route add blackhole ${to}/32`),
    letThrough: (to: string) => ip(`-n ${name} route delete blackhole ${to}/32`),
  };
}
