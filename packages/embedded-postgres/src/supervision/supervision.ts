import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Cluster } from '../cluster/cluster.ts';
import type { ServerSettings } from '../cluster/server-settings.ts';
import { hastenStop } from '../cluster/stop.ts';
import { EmbeddedError, oneLine } from '../programs/errors.ts';
import { disconnect, type MemberConnection } from './connection.ts';
import type { EmbeddedEvents, SupervisionBounds } from './events.ts';
import { registerService, ServiceElsewhere } from './locks.ts';
import { type Joined, join } from './member.ts';

export interface Supervision {
  /** The connection that holds our registrations; undefined once the database was given up. Waits during a restart. */
  connection(): Promise<Client | undefined>;
  /** From now on the service's registration is renewed, too. */
  holdService(): void;
  /** Ends the supervision, also in the middle of a restart; gives the connection if there is one. Never rejects. */
  end(): Promise<Client | undefined>;
}

interface Watch {
  cluster: Cluster;
  settings: ServerSettings;
  bounds: SupervisionBounds;
  onEvent: EmbeddedEvents;
  onGivenUp: (error: Error) => void;
}

/** Watches the joined server by our connection to it, and brings it back on the same port, where every pool looks for it. */
export function supervise(joined: Joined, watch: Watch): Supervision {
  const { cluster, settings, bounds, onEvent } = watch;
  const ending = new AbortController();
  const { port } = joined;
  let { processId } = joined;
  let current: Promise<Client | undefined>;
  let isService = false;
  let attempts = 0;
  let wellSince = Date.now();

  function follow({ client, ended }: MemberConnection): Client {
    wellSince = Date.now();
    void ended.then(() => {
      if (ending.signal.aborted) return;
      onEvent('lost', { processId, port });
      current = bringBack().catch((error: unknown) => giveUp(error));
    });
    return client;
  }

  async function bringBack(): Promise<Client> {
    if (Date.now() - wellSince >= bounds.healthyMs) attempts = 0;
    for (let last: unknown; ; ) {
      if (attempts >= bounds.attempts) throw last ?? lostTooOften(cluster, attempts);
      const afterMs = Math.min(bounds.firstPauseMs * 2 ** attempts, bounds.longestPauseMs);
      attempts++;
      onEvent('restarting', { attempt: attempts, afterMs, port });
      await pause(afterMs, undefined, { signal: ending.signal });
      try {
        return follow(await attempt());
      } catch (error) {
        if (ending.signal.aborted || error instanceof ServiceElsewhere) throw error;
        onEvent('restart-failed', { attempt: attempts, error: messageOf(error) });
        last = error;
      }
    }
  }

  async function attempt(): Promise<MemberConnection> {
    const again = await join(cluster, settings, port, ending.signal, onEvent);
    try {
      if (isService) await registerService(again.client, cluster);
      ending.signal.throwIfAborted();
    } catch (error) {
      await disconnect(again.client);
      throw error;
    }
    const event = again.processId === processId ? 'reconnected' : 'restarted';
    processId = again.processId;
    onEvent(event, { processId, port, attempt: attempts, startedByUs: again.startedByUs });
    return again;
  }

  function giveUp(error: unknown): undefined {
    if (ending.signal.aborted) return undefined;
    onEvent('given-up', { attempts, error: messageOf(error) });
    watch.onGivenUp(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }

  const look = setInterval(() => void hastenStop(cluster.pgdata), bounds.lookMs).unref();
  current = Promise.resolve(follow(joined));
  return {
    connection: () => current,
    holdService: () => {
      isService = true;
    },
    end: () => {
      ending.abort();
      clearInterval(look);
      return current;
    },
  };
}

function lostTooOften(cluster: Cluster, times: number): EmbeddedError {
  return new EmbeddedError(
    `The embedded database in ${cluster.folder} was lost ${times} times in a row: see ${cluster.logs}, and start again.`,
  );
}

const messageOf = (error: unknown) => oneLine(error instanceof Error ? error.message : String(error));
