import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, ClearError } from '@campaign-mirror/adapters-cli/terminal';
import { defaultPoolLimits, openPool } from '@campaign-mirror/adapters-persistence/sql';
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
  const { settings, notes } = read;
  yield ['settings', ok('none is wrong')];
  for (const note of notes) yield ['settings', warning(note, 'correct it, or leave it out')];
  const { IDENTITY, JWT_JWKS_URL } = settings;
  if (IDENTITY !== 'keys' && JWT_JWKS_URL) yield ['issuer', await checkIssuer(JWT_JWKS_URL)];
  if (!isExternal(settings)) {
    const folder = dataFolder(settings);
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
    const limits = { ...defaultPoolLimits, size: 1 };
    const { pool: database, close } = openPool(address, limits, 'campaign-mirror operator');
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
  const what = `the keys of the issuer at ${url.host}`;
  const advice = 'correct JWT_JWKS_URL, or the issuer; without keys no token is accepted';
  try {
    const keys = issuerKeys({ url });
    await keys.reload();
    const count = keys.jwks()?.keys.length;
    return count ? ok(`${what}: ${count} could be fetched`) : problem(`${what}: there are none`, advice);
  } catch (error) {
    const { code, message, cause } = (error as Error).cause as NodeJS.ErrnoException;
    // Node's `fetch` has the reason in the cause.
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? message;
    return problem(`${what} cannot be used (${reason})`, advice);
  }
}
