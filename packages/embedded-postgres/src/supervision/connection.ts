import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from '../cluster/cluster.ts';
import { superuser } from '../cluster/passwords.ts';
import { codeOf, EmbeddedError, orYourOwn } from '../programs/errors.ts';
import { memberName, registerMember } from './locks.ts';

export const host = '127.0.0.1';

export interface MemberConnection {
  client: pg.Client;
  /** Resolves when the connection has ended, for any reason. */
  ended: Promise<void>;
}

/** Opens the connection that stands for this process in the database, and registers it. */
export async function connectMember(cluster: Cluster, port: number): Promise<MemberConnection> {
  const client = new pg.Client({
    host,
    port,
    user: superuser,
    password: cluster.passwords.superuser,
    // Advisory locks are per database, and this one is not a template: a connection to it blocks nobody.
    database: 'postgres',
    application_name: memberName,
    keepAlive: true,
    // Bounds in case the server hangs: nothing here may wait for ever.
    connectionTimeoutMillis: 10_000,
    query_timeout: 12_000,
    ssl: false,
    sslnegotiation: 'postgres',
    // Named, because node-postgres takes what is left out from PG* variables; and the connection idles for ever.
    options: '-c statement_timeout=0 -c idle_session_timeout=0 -c lock_timeout=10s',
  });
  client.on('error', () => {});
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  try {
    await client.connect();
    await registerMember(client);
    return { client, ended };
  } catch (error) {
    void disconnect(client);
    throw codeOf(error) === '28P01' ? wrongPassword(cluster) : error;
  }
}

/** Never rejects and never hangs. */
export async function disconnect(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => {});
  const inTime = await Promise.race([ended.then(() => true), pause(1000, false, { ref: false })]);
  if (!inTime) client.connection.stream.destroy();
}

function wrongPassword(cluster: Cluster): EmbeddedError {
  return new EmbeddedError(
    `The embedded database in ${cluster.folder} refuses the password of ${cluster.home}/passwords.json: bring that file back from a backup, or ${orYourOwn}.`,
  );
}
