import { setTimeout as pause } from 'node:timers/promises';
import { eventsOf, times } from '../../support/process/primary-process.ts';
import type { Fault } from './fault.ts';

export const serviceFaults = {
  'service-killed': {
    does: 'the service is killed and started again',
    run: async (stage) => {
      await stage.service.process.stop('SIGKILL');
      await stage.startService();
    },
  },
  'worker-killed': {
    does: 'a worker is killed; another one takes its place',
    workers: 2,
    run: async ({ service }) => {
      const workers = eventsOf(service.process, 'worker-listening');
      process.kill(Number(workers.at(-1)?.pid), 'SIGKILL');
      await times(service.process, 'worker-listening', workers.length + 1);
    },
  },
  'service-frozen': {
    does: 'the service stands still for 3 s',
    run: async ({ service }) => {
      service.process.child.kill('SIGSTOP');
      await pause(3_000);
      service.process.child.kill('SIGCONT');
    },
  },
} satisfies Record<string, Fault>;
