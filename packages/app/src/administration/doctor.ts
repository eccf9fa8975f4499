import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import * as store from '@campaign-mirror/adapters-persistence/service';
import * as access from '../database/database-access.ts';
import { clearFault, nameOf } from '../database/database-advice.ts';
import { checkDatabase, type Finding, ok, problem } from '../database/database-checks.ts';
import { isExternal } from '../settings/external-database.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings-table.ts';

/** One connection, with time to read all mirrors: seconds for each million. */
const limits = { ...store.defaultPoolLimits, size: 1, statementTimeout: 60_000, queryTimeout: 65_000 };

/** Checks the settings and, if they are valid, what they name. A check that fails does not stop the others. */
export async function* examine(call: Call): AsyncGenerator<Finding> {
  const read = readSettings(call.environment);
  if ('wrong' in read) return yield* read.wrong.map((line) => problem('settings', line, 'correct it'));
  const { settings, changed } = read;
  const differing = Object.entries(changed).map(([name, value]) => `${name}=${value}`);
  yield ok('settings', differing.join('; ') || 'each has its default');
  const { IDENTITY, JWT_JWKS_URL } = settings;
  if (IDENTITY !== 'keys' && JWT_JWKS_URL) yield await checkIssuer(JWT_JWKS_URL);
  const folder = isExternal(settings) ? undefined : access.dataFolder(settings);
  if (folder) yield await checkDisk(folder);
  if (folder && !existsSync(join(folder, 'cluster')))
    yield ok('database', `there is no embedded database in ${folder} yet: the first start makes it`);
  else yield* examineDatabase(call, settings);
}

async function* examineDatabase(call: Call, settings: Settings): AsyncGenerator<Finding> {
  let database: access.DatabaseAccess | undefined;
  let opened: store.Database | undefined;
  try {
    const options = { signal: call.signal, log: access.commandNotices(call) };
    database = await access.openDatabaseAccess(settings, options);
    const address = database.address('operator');
    opened = await store.openDatabase(address, limits, 'campaign-mirror operator');
    await opened.pool.query('select');
    yield ok('database', `${nameOf(address)} answers`);
    yield* checkDatabase(opened.pool, settings, 'doctor');
  } catch (error) {
    const fault = database ? clearFault(error, database.address('operator')) : error;
    if (!(fault instanceof ClearError)) throw fault;
    yield problem('database', fault.message, 'then run `./campaign-mirror doctor` again');
  } finally {
    await opened?.close();
    await database?.close();
  }
}

async function checkIssuer(url: URL): Promise<Finding> {
  const { issuerKeys } = await import('@campaign-mirror/adapters-jwt');
  const keys = issuerKeys({ url });
  // Node's `fetch` gives the reason as the cause of the cause.
  const reasonOf = ({ cause }: { cause: Error }) =>
    store.codeOf(cause.cause) || store.codeOf(cause) || cause.message;
  const reason = await keys.reload().catch(reasonOf);
  const count = keys.jwks()?.keys.length;
  if (count) return ok('issuer', `the keys of the issuer at ${url.host}: ${count} could be fetched`);
  const finding = `the keys of the issuer at ${url.host} cannot be used (${reason ?? 'there are none'})`;
  return problem('issuer', finding, 'correct JWT_JWKS_URL, or the issuer; without keys no token is accepted');
}

async function checkDisk(folder: string): Promise<Finding> {
  let path = folder;
  while (path !== dirname(path) && !existsSync(path)) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const free = (bavail * bsize) / 2 ** 30;
  const finding = `${free.toFixed(1)} GiB are free for DATA_DIR (${path})`;
  if (free >= 2) return ok('disk', finding);
  const advice =
    'make the volume larger, delete other files, or move DATA_DIR; then `./campaign-mirror history prune`';
  // With less than ¼ GiB, a checkpoint may fail.
  return { check: 'disk', state: free < 0.25 ? 'problem' : 'warning', finding, advice };
}
