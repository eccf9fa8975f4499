import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = Awaited<ReturnType<typeof tcpProxy>>;

/** A network between a client and a server that can fail. `onAnswer` sees the bytes of the server. */
export async function tcpProxy(
  target: { host: string; port: number },
  onAnswer: (bytes: Buffer) => void = () => {},
) {
  const sockets = new Set<Socket>();
  let frozen = false;

  const server = createServer((client) => {
    const upstream = connect(target);
    upstream.on('data', onAnswer);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (frozen) from.pause();
    }
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const refuse = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    host: '127.0.0.1',
    port,
    /** Stops all bytes. Connections stay open, and new ones are accepted. */
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    refuse,
    accept: () => listen(port),
    close: refuse,
  };
}
