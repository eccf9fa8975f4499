import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Pool } from 'pg';

/** In milliseconds. */
const [patience, ofDatabase] = [30_000, 5_000];
const sessions = `
  select a.pid, usename, state, wait_event_type, wait_event, now() - xact_start as since, pg_blocking_pids(a.pid) as blocked_by,
    left(query, 100) as query, locktype, relation::regclass::text, mode, granted
  from pg_stat_activity a left join pg_locks l on l.pid = a.pid
  where datname = current_database() and a.pid <> pg_backend_pid() order by a.pid`;

/** Where nothing comes to its end for 30 s, says what all of it waits for, and rejects `stalled`. */
export function watch(admin: Pick<Pool, 'query'>) {
  const open = new Map<Socket, Buffer>();
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => {});
  const timer = setTimeout(async () => {
    const sockets = [...open].map(([socket, sent]) => ({
      waits: socket.connecting ? 'to be connected' : 'for the end',
      ...{ sent: sent.length, notTaken: socket.writableLength, received: socket.bytesRead },
      begins: sent.toString('latin1').slice(0, 500),
    }));
    const asked = admin.query(sessions).then(({ rows }) => rows);
    const database = await Promise.race([asked, pause(ofDatabase, 'no answer')]).catch((error) => error);
    console.error(inspect({ sockets, database }, { depth: 3, maxArrayLength: null }));
    reject(new Error(`nothing has come to its end for ${patience} ms`));
  }, patience);
  /** Resolves when the other side has ended it, or it is broken. */
  const over = async (socket: Socket, sent: Buffer): Promise<void> => {
    open.set(socket, sent);
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    open.delete(socket);
    timer.refresh();
  };
  return { stalled, over, close: () => clearTimeout(timer) };
}
