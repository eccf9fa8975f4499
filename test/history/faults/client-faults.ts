import { setTimeout as pause } from 'node:timers/promises';
import { RawConnection } from '../../support/http/connection.ts';
import { unknownKey } from '../../support/secrets.ts';
import type { Fault } from './fault.ts';
import type { Stage } from './stage.ts';

/** How many callers at once, and for how many milliseconds. */
const [many, lasting] = [200, 8_000];

/** Nobody's: it stores nothing, whatever becomes of it. */
const request = [
  'POST /public/v1/mirror/campaign/1/mirror HTTP/1.1',
  'Host: a',
  `Authorization: Bearer ${unknownKey}`,
  'Content-Type: application/json',
  'Content-Length: 40',
  '',
  '{"mirror_endpoint":"https://a.example/"}',
].join('\r\n');

const connections = ({ base }: Stage, count = many) =>
  Promise.all(Array.from({ length: count }, () => RawConnection.open(Number(new URL(base).port))));

export const clientFaults = {
  'clients-slow': {
    does: `${many} clients send a byte now and then for ${lasting / 1000} s, and read nothing`,
    run: async (stage) => {
      const all = await connections(stage);
      for (const { socket } of all) socket.pause();
      const bytes = request.length;
      for (let at = 0; at < bytes; at++) {
        for (const connection of all) void connection.send(request[at] ?? '');
        await pause(lasting / bytes);
      }
      await Promise.all(all.map((connection) => connection.reset()));
    },
  },
  'clients-half-closed': {
    does: `${many} clients close their side in the middle of a request or behind it, and stay for ${lasting / 1000} s`,
    run: async (stage, { random }) => {
      const all = await connections(stage);
      for (const { socket } of all) socket.end(request.slice(0, random.below(2 * request.length)));
      await pause(lasting);
      await Promise.all(all.map((connection) => connection.reset()));
    },
  },
  'clients-vanishing': {
    does: `for ${lasting / 1000} s clients are gone in the middle of a request or behind it`,
    run: async (stage, { random }) => {
      for (const end = performance.now() + lasting; performance.now() < end; ) {
        const all = await connections(stage, many / 4);
        await Promise.all(all.map((one) => one.send(request.slice(0, random.below(2 * request.length)))));
        await pause(random.below(20));
        await Promise.all(all.map((connection) => connection.reset()));
      }
    },
  },
} satisfies Record<string, Fault>;
