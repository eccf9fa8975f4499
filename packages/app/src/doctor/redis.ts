import { connectRedis } from '../limits/redis-connection.ts';
import { type RedisAddress, redisName } from '../settings/redis-url.ts';
import { type Finding, ok, problem } from './findings.ts';

/** How long to wait for Redis, in milliseconds. */
const timeout = 2_000;

/** Whether Redis, where limits are counted, accepts the login and answers. */
export async function checkRedis(address: RedisAddress): Promise<Finding> {
  const name = redisName(address);
  let fault: Error | undefined;
  const client = connectRedis(address, (error) => {
    fault = error;
  });
  try {
    await ready(client);
    await client.ping();
    // Otherwise it would continue with another database than the configured one.
    if (fault) throw fault;
    return ok('redis', `${name} answers`);
  } catch (error) {
    const says = `${name} cannot be used (${reason(fault ?? error)})`;
    return problem('redis', says, 'start it, or correct REDIS_URL; meanwhile RATE_LIMIT_WHEN_AWAY holds');
  } finally {
    client.disconnect();
  }
}

/**
 * Resolves when it can be queried; rejects when the first connection has failed or takes too long. Not at the first
 * error: the server's answer to a query comes before its answer to the password.
 */
function ready(client: ReturnType<typeof connectRedis>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('no answer')), timeout);
  client.once('ready', resolve).once('close', () => reject(new Error('the connection was closed')));
  return promise.finally(() => clearTimeout(timer));
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
