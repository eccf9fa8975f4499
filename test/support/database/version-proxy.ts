import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A column of two characters in a row, as PostgreSQL sends it (PostgreSQL, section 55.7: DataRow). */
const column = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from(text)]);

/** Stands before a PostgreSQL and makes it say that it is of another major version. */
export async function versionProxy(server: { host: string; port: number }, version: string) {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(server.port, server.host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream);
    upstream
      .on('data', (bytes: Buffer) => client.write(aged(bytes, version)))
      .on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as { port: number };
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await once(proxy, 'close');
  };
  return { port, close };
}

function aged(bytes: Buffer, version: string): Buffer {
  for (const real of ['15', '16', '17', '18']) {
    const at = bytes.indexOf(column(real));
    if (at !== -1) column(version).copy(bytes, at);
  }
  return bytes;
}
