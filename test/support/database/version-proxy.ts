import { tcpProxy } from './tcp-proxy.ts';

/** A column of two characters in a row, as PostgreSQL sends it (PostgreSQL, section 55.7: DataRow). */
const column = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from(text)]);

/** Stands before a PostgreSQL and makes it say that it is of another major version. */
export const versionProxy = (server: { host: string; port: number }, version: string) =>
  tcpProxy(server, (bytes) => {
    for (const real of ['15', '16', '17', '18']) {
      const at = bytes.indexOf(column(real));
      if (at !== -1) column(version).copy(bytes, at);
    }
    return bytes;
  });
