import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Stands between a client and a server, and does to their connections what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections were made so far. */
  readonly accepted: number;
  /** From now on no byte passes, in either direction or to the server; connections stay open, new ones are accepted. */
  freeze(which?: 'both' | 'to server'): void;
  /** What was held back arrives. */
  thaw(): void;
  /** From now on bytes take so many milliseconds longer, each way. */
  delay(milliseconds: number): void;
  /** Ends all connections without a farewell. */
  cut(): void;
  /** From now on nobody can connect. */
  refuse(): Promise<void>;
  /** Connections are accepted again, on the same port. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

export async function tcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  /** Those of the clients. */
  const clients = new Set<Socket>();
  let frozen: 'both' | 'to server' | undefined;
  let delayed = 0;
  let accepted = 0;

  const server = createServer((client) => {
    accepted++;
    const upstream = connect(target);
    clients.add(client);
    client.once('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      let last: Promise<unknown> | undefined;
      from.on('data', (bytes) => {
        if (delayed === 0 && !last) return void to.write(bytes);
        // Behind what came before, however long that was to take.
        const mine = Promise.all([pause(delayed), last]).then(() => {
          if (last === mine) last = undefined;
          if (!to.destroyed) to.write(bytes);
        });
        last = mine;
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (frozen === 'both' || (frozen && from === client)) from.pause();
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const refuse = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    port,
    get accepted() {
      return accepted;
    },
    freeze: (which = 'both') => {
      frozen = which;
      for (const socket of which === 'both' ? sockets : clients) socket.pause();
    },
    delay: (milliseconds) => {
      delayed = milliseconds;
    },
    thaw: () => {
      frozen = undefined;
      for (const socket of sockets) socket.resume();
    },
    cut,
    refuse,
    accept: () => listen(port),
    close: refuse,
  };
}
