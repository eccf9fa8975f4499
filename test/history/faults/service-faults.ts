import { setTimeout as pause } from 'node:timers/promises';
import { times } from '../../support/process/primary-process.ts';
import type { Fault } from './faults.ts';

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
    run: async (stage) => {
      process.kill(await stage.worker(), 'SIGKILL');
      await times(stage.service.process, 'worker-listening', 3);
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
