import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './fault.ts';

/** In milliseconds: how long the clock is wrong. */
const wrong = 4_000;
const hour = 3_600_000;

const setBy = (offset: string, does: string): Fault => ({
  does: `${does}, and back again after ${wrong / 1000} s`,
  clock: true,
  run: async (stage) => {
    await stage.setClock(offset);
    // Its log has its time.
    const told = /"time":"([^"]+)"/g;
    await stage.service.process.says(() => {
      const [, time = ''] = [...stage.service.process.output.slice(-1_000).matchAll(told)].at(-1) ?? [];
      return Math.abs(Date.parse(time) - Date.now()) > hour || undefined;
    });
    await pause(wrong);
    await stage.setClock('+0');
  },
});

/** Of the machine of the service: the clock of the database, by which keys expire, stays right. */
export const clockFaults = {
  'clock-back': setBy('-2h', "the service's clock is set back by two hours"),
  'clock-forward': setBy('+400d', "the service's clock is set forward by 400 days"),
} satisfies Record<string, Fault>;
