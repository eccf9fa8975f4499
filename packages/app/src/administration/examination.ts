import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { defaultPoolLimits, openDatabase } from '@campaign-mirror/adapters-persistence';
import { factsOf, ok, problem, type Result, warning } from '../database/check.ts';
import { checks } from '../database/checks.ts';
import { clearFault, nameOf } from '../database/connection-advice.ts';
import { type DatabaseAccess, dataFolder, openDatabaseAccess } from '../database/database-access.ts';
import { awaitDatabase } from '../database/prepare-database.ts';
import { isExternal } from '../settings/external-database.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';

type NamedResult = readonly [check: string, result: Result];

/** How long to wait for a database, in milliseconds: short, since somebody waits for the result. */
const timeout = 2_000;

/** Checks the settings and, if they are valid, what they name. What is unavailable does not stop the remaining checks. */
export async function* examine(call: Call): AsyncGenerator<NamedResult> {
  const read = readSettings(call.environment);
  if ('wrong' in read) {
    for (const line of read.wrong) yield ['settings', problem(line, 'correct it')];
    return;
  }
  const { settings, changed } = read;
  const differing = Object.entries(changed).map(([name, value]) => `${name}=${value}`);
  yield ['settings', ok(differing.join('; ') || 'each has its default')];
  const { IDENTITY, JWT_JWKS_URL } = settings;
  if (IDENTITY !== 'keys' && JWT_JWKS_URL) yield ['issuer', await checkIssuer(JWT_JWKS_URL)];
  if (!isExternal(settings)) {
    const folder = dataFolder(settings);
    yield ['disk', await checkDisk(folder)];
    if (!existsSync(join(folder, 'cluster'))) {
      yield ['database', ok(`there is no embedded database in ${folder} yet: the first start makes it`)];
      return;
    }
  }
  yield* examineDatabase(call, settings);
}

async function* examineDatabase(call: Call, settings: Settings): AsyncGenerator<NamedResult> {
  let access: DatabaseAccess | undefined;
  try {
    access = await openDatabaseAccess(settings, {
      signal: call.signal,
      onWait: (line) => call.output.note(line),
    });
    const address = access.address('operator');
    const DATABASE_WAIT = Math.min(settings.DATABASE_WAIT, timeout);
    await awaitDatabase(address, { ...settings, DATABASE_WAIT }, []);
    yield ['database', ok(`${nameOf(address)} answers`)];
    // All mirrors are read, which takes seconds for each million.
    const limits = { ...defaultPoolLimits, size: 1, statementTimeout: 60_000, queryTimeout: 65_000 };
    const { pool: database, close } = await openDatabase(address, limits, 'campaign-mirror operator');
    try {
      const facts = await factsOf(database);
      for (const { name, run } of checks) {
        for (const result of [await run({ facts, database, settings })].flat()) yield [name, result];
      }
    } finally {
      await close();
    }
  } catch (error) {
    const fault = access ? clearFault(error, access.address('operator'), 'connecting') : error;
    if (!(fault instanceof ClearError)) throw fault;
    yield ['database', problem(fault.message, 'then run `./campaign-mirror doctor` again')];
  } finally {
    await access?.close();
  }
}

async function checkIssuer(url: URL): Promise<Result> {
  const { issuerKeys } = await import('@campaign-mirror/adapters-jwt');
  const advice = 'correct JWT_JWKS_URL, or the issuer; without keys no token is accepted';
  return reached(`the keys of the issuer at ${url.host}`, advice, async () => {
    const keys = issuerKeys({ url });
    await keys.reload().catch(({ cause }) => Promise.reject(cause));
    const count = keys.jwks()?.keys.length;
    if (!count) throw new Error('there are none');
    return `${count} could be fetched`;
  });
}

async function reached(what: string, advice: string, attempt: () => Promise<string>): Promise<Result> {
  try {
    return ok(`${what}: ${await attempt()}`);
  } catch (error) {
    return problem(`${what} cannot be used (${reasonOf(error as NodeJS.ErrnoException)})`, advice);
  }
}

function reasonOf({ name, code, message, cause }: NodeJS.ErrnoException): string {
  // AbortError means that our time limit is over.
  if (name === 'AbortError') return 'no answer';
  // Node's `fetch` has the reason in the cause.
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? message;
}

async function checkDisk(folder: string): Promise<Result> {
  let path = folder;
  while (path !== dirname(path) && !existsSync(path)) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const free = (bavail * bsize) / 2 ** 30;
  const finding = `${free.toFixed(1)} GiB are free for DATA_DIR (${path})`;
  if (free >= 2) return ok(finding);
  const advice =
    'make the volume larger, delete other files, or move DATA_DIR; then prune the history (`./campaign-mirror history prune`)';
  // Below ¼ GiB, a checkpoint may fail.
  return free < 0.25 ? problem(finding, advice) : warning(finding, advice);
}
