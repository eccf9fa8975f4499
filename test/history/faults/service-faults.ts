import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

export const serviceFaults = {
  'service-killed': {
    does: 'the service is killed and started again',
    run: async (stage) => {
      await stage.service.process.stop('SIGKILL');
      await stage.startService();
    },
  },
  'process-killed': {
    does: 'one of two processes on a port is killed; another one takes its place',
    processes: 2,
    run: async ({ sharing }) => {
      await sharing.services.at(-1)?.process.stop('SIGKILL');
      await sharing.another();
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
