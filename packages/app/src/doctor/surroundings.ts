import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ok, problem, type Result, warning } from '../database/checks.ts';
import { dataFolder } from '../database/database-access.ts';
import { issuerKeyOptions } from '../http/identity.ts';
import { fileVariable, readSettings } from '../settings/read-settings.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import { isYours } from '../settings/your-database.ts';

/** Without these it is unknown which database is meant. */
const ofTheDatabase = /^(?:DATABASE_URL|DATA_DIR|PG[A-Z]+)$/;

/**
 * Every wrong setting, and those in force without the wrong ones, for the following checks; none where those would
 * examine another database.
 */
export function checkSettings(environment: NodeJS.ProcessEnv): { results: Result[]; settings?: Settings } {
  const rest = { ...environment };
  const results: Result[] = [];
  const about: SettingName[] = [];
  // Contradictions between settings are found only when each is valid.
  let read = readSettings(rest);
  for (; 'wrong' in read; read = readSettings(rest)) {
    for (const line of read.wrong) results.push(problem(line, 'correct it'));
    about.push(...read.about);
    for (const name of read.about) {
      delete rest[name];
      delete rest[fileVariable(name)];
    }
  }
  if (results.length === 0) results.push(ok('none is wrong'));
  for (const note of read.notes) results.push(warning(note, 'correct it, or leave it out'));
  return about.some((name) => ofTheDatabase.test(name)) ? { results } : { results, settings: read.settings };
}

/** How long to wait for Redis, in milliseconds. */
const redisTimeout = 2_000;

/** Whether Redis, where limits are counted, accepts the login and answers. */
async function checkRedis({ REDIS_URL }: Settings): Promise<Result | readonly Result[]> {
  if (!REDIS_URL) return [];
  const name = `${REDIS_URL.host}${REDIS_URL.pathname}`;
  const { connectRedis } = await import('../http/redis-counts.ts');
  let fault: Error | undefined;
  const client = connectRedis(REDIS_URL, (error) => {
    fault = error;
  });
  // Not until the first error: the server's answer to a query comes before its answer to the password.
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('no answer')), redisTimeout);
  client.once('ready', resolve).once('close', () => reject(new Error('the connection was closed')));
  try {
    await ready;
    await client.ping();
    // Otherwise it would continue with another database than the configured one.
    if (fault) throw fault;
    return ok(`${name} answers`);
  } catch (error) {
    const { code, message } = (fault ?? error) as NodeJS.ErrnoException;
    const says = `${name} cannot be used (${code ?? message})`;
    return problem(says, 'start it, or correct REDIS_URL; until then requests are not limited');
  } finally {
    clearTimeout(timer);
    client.disconnect();
  }
}

/** Whether the public keys of the issuer of tokens can be fetched. */
async function checkIssuer(settings: Settings): Promise<Result | readonly Result[]> {
  if (settings.IDENTITY === 'keys') return [];
  const { IssuerKeys } = await import('@campaign-mirror/adapters-jwt');
  const options = issuerKeyOptions(settings);
  const name = `the keys of the issuer at ${options.url.host}`;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  void new IssuerKeys({ ...options, observer: { fetched: resolve, failed: reject } }).fetch();
  try {
    const count = await promise;
    if (count > 0) return ok(`${name} can be fetched: ${count}`);
    return problem(`${name} are none`, 'correct JWT_JWKS_URL; no token is accepted');
  } catch (error) {
    // Node's `fetch` says why in the cause.
    const { message, cause } = error as Error;
    const { code, message: because } = (cause ?? {}) as NodeJS.ErrnoException;
    const says = `${name} cannot be fetched (${code ?? because ?? message})`;
    return problem(says, 'correct JWT_JWKS_URL, or the issuer');
  }
}

const gibibyte = 2 ** 30;
/** In bytes: below the first, space is short; below the second, a checkpoint may fail. */
const tight = 2 * gibibyte;
const full = gibibyte / 4;

/** The free space on the disk of the embedded database. */
export async function checkDisk(
  settings: Settings,
  free: (path: string) => Promise<number> = freeBytes,
): Promise<Result | readonly Result[]> {
  if (isYours(settings)) return [];
  let path = (await dataFolder(settings)).folder;
  while (path !== dirname(path) && !(await exists(path))) path = dirname(path);
  const bytes = await free(path);
  const says = `${(bytes / gibibyte).toFixed(1)} GiB are free for DATA_DIR (${path})`;
  if (bytes >= tight) return ok(says);
  const advice = 'make room, prune the history (`./campaign-mirror history prune`), or move DATA_DIR';
  return bytes < full ? problem(says, advice) : warning(says, advice);
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The checks beside the database; nothing is found where the settings do not ask for it. */
export const surroundings = [
  { name: 'redis', ask: checkRedis },
  { name: 'issuer', ask: checkIssuer },
  { name: 'disk', ask: checkDisk },
] as const;
