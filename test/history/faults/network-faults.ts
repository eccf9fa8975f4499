import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** In milliseconds. */
const [away, slow, cutAgain] = [8_000, 200, 30];

export const networkFaults = {
  'network-cut': {
    does: 'all connections to the database break, again and again',
    run: async ({ proxy }, { random }) => {
      for (let number = 0; number < cutAgain; number++) {
        proxy.cut();
        await pause(random.below(200));
      }
    },
  },
  'network-refuses': {
    does: `nobody reaches the database for ${away / 1000} s`,
    run: async ({ proxy }) => {
      await proxy.refuse();
      await pause(away);
      await proxy.accept();
    },
  },
  'network-silent': {
    does: `no byte passes to or from the database for ${away / 1000} s`,
    run: async ({ proxy }) => {
      proxy.freeze();
      await pause(away);
      proxy.thaw();
    },
  },
  'network-one-way': {
    does: `no byte passes to the database for ${away / 1000} s, while its answers do`,
    run: async ({ proxy }) => {
      proxy.freeze('to server');
      await pause(away);
      proxy.thaw();
    },
  },
  'network-slow': {
    does: `every byte takes ${slow} ms longer each way, for ${away / 1000} s`,
    run: async ({ proxy }) => {
      proxy.delay(slow);
      await pause(away);
      proxy.delay(0);
    },
  },
} satisfies Record<string, Fault>;
