import type { Rate } from '@campaign-mirror/adapters-http';
import type { Redis } from 'ioredis';
import type { RedisAddress } from '../settings/redis-url.ts';
import type { Counts, LimitName } from './counts.ts';
import { connectRedis } from './redis-connection.ts';
import { RedisCounts } from './redis-counts.ts';

/** A Redis shared by several machines. */
export class RedisStore {
  readonly #client: Redis;
  #fault: Error | undefined;

  constructor(address: RedisAddress) {
    this.#client = connectRedis(address, (fault) => {
      this.#fault = fault;
    });
  }

  /** For one limit. Where the connection is broken, it rejects with the reason. */
  counts(limit: LimitName, rate: Rate): Counts {
    const counts = new RedisCounts(this.#client, limit, rate);
    return { count: (who) => counts.count(who).catch((error) => this.#explained(error)) };
  }

  #explained(error: unknown): never {
    if (this.#client.status === 'ready') throw error;
    throw new Error('Redis is unavailable', { cause: this.#fault ?? error });
  }

  close(): void {
    this.#client.disconnect();
  }
}
