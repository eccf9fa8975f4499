import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../processes/cleanup.ts';

/** A port of 127.0.0.1 that stands for the server: each byte takes so many milliseconds to reach it, answers none. */
export async function delayedServer(
  target: { readonly host: string; readonly port: number },
  delay: number,
  cleanup: Cleanup,
): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect(target);
    client.on('data', (bytes) => void pause(delay).then(() => upstream.write(bytes)));
    upstream.on('data', (bytes) => client.write(bytes));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.add(async () => void server.close());
  return (server.address() as AddressInfo).port;
}
