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
export class Watch {
  readonly #open = new Map<Socket, Buffer>();
  readonly #stalled = Promise.withResolvers<never>();
  readonly stalled = this.#stalled.promise;
  readonly #timer: NodeJS.Timeout;

  constructor(admin: Pick<Pool, 'query'>) {
    const tell = async () => {
      const sockets = [...this.#open].map(([socket, sent]) => ({
        waits: socket.connecting ? 'to be connected' : 'for the end',
        ...{ sent: sent.length, notTaken: socket.writableLength, received: socket.bytesRead },
        begins: sent.toString('latin1').slice(0, 500),
      }));
      const asked = admin.query(sessions).then(({ rows }) => rows);
      const database = await Promise.race([asked, pause(ofDatabase)]).catch((error) => error);
      console.error(
        inspect({ sockets, database: database ?? 'no answer' }, { depth: 3, maxArrayLength: null }),
      );
      this.#stalled.reject(new Error(`nothing has come to its end for ${patience} ms`));
    };
    this.stalled.catch(() => {});
    this.#timer = setTimeout(tell, patience);
  }

  /** Resolves when the other side has ended it, or it is broken. */
  async over(socket: Socket, sent: Buffer): Promise<void> {
    this.#open.set(socket, sent);
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
    this.#open.delete(socket);
    this.#timer.refresh();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
