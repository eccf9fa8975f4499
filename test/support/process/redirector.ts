import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@campaign-mirror/embedded-postgres';
import { projectFolder } from '../workspace.ts';
import { folderOf } from './lives.ts';
import { start } from './service-process.ts';

/** In a suite: the example as `npm install` leaves it, as a process of its own. */
export function redirectorProgram() {
  const folder = folderOf('suite');
  let starting: Awaited<ReturnType<typeof redirectorIn>>;
  before(async () => {
    starting = await redirectorIn(folder.path);
  });
  return (...how: Parameters<typeof starting>) => starting(...how);
}

/** The same in a folder. */
export async function redirectorIn(folder: string) {
  const program = join(folder, 'redirector');
  await cp(`${projectFolder}examples/redirector`, program, { recursive: true });
  await mkdir(join(program, 'node_modules'));
  await symlink(`${projectFolder}packages/app/node_modules/pg`, join(program, 'node_modules/pg'));
  /** `addresses`: by the names of the variables, each in a file, as a secret is given to it. */
  return async (addresses: Readonly<Record<string, string>>, node = process.execPath) => {
    const settings: Record<string, string> = { PORT: `${await freePort()}` };
    for (const [name, address] of Object.entries(addresses)) {
      settings[`${name}_FILE`] = join(folder, name);
      await writeFile(join(folder, name), `${address}\n`);
    }
    const running = start(node, ['main.mjs'], settings, program);
    const [, base = ''] = await running.says(
      () => /on (http:\S+)\/c\/CAMPAIGN\n/.exec(running.output) ?? undefined,
    );
    return { process: running, visit: visitorOf(base) };
  };
}

export interface Visit {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly cached: string | undefined;
}

/** Visits `/c/` and what is given. A `Location` may be longer than `fetch` reads. */
export function visitorOf(base: string) {
  const agent = new Agent({ keepAlive: true });
  return (path: unknown, method = 'GET'): Promise<Visit> =>
    new Promise((resolve, reject) => {
      const sent = request(`${base}/c/${path}`, { method, agent, maxHeaderSize: 65_536 }, (response) => {
        const { location, 'cache-control': cached } = response.headers;
        response.resume().on('end', () => resolve({ status: response.statusCode, location, cached }));
      });
      sent.on('error', reject).end();
    });
}

export interface Step {
  readonly number: number;
  readonly at: number;
  /** Whether looks had failed shortly before. */
  readonly isAnew: boolean;
}

/** In milliseconds: within it, a reader that lost its connection has another. */
const settled = 5_000;

/**
 * Looks at the number at the end of an address again and again, every few milliseconds, until `stop`. `steps`: when it rose;
 * `faults`: what went back, and looks that failed unless they may.
 */
export function watched(look: () => Promise<string | undefined>, mayFail = false) {
  const steps: Step[] = [];
  const faults: string[] = [];
  const end = new AbortController();
  const last = () => steps.at(-1)?.number ?? -1;
  const watching = (async () => {
    for (let failed = 0; !end.signal.aborted; await pause(5)) {
      const seen = await look().catch(String);
      const [, digits] = /^https:.*\/(\d+)$/.exec(seen ?? '') ?? [];
      const [number, at] = [Number(digits), performance.now()];
      if (digits === undefined) failed = at;
      if (digits === undefined && !mayFail) faults.push(`${seen} after ${last()}`);
      if (number < last()) faults.push(`${number} after ${last()}`);
      if (number > last()) steps.push({ number, at, isAnew: at - failed < settled });
    }
  })();
  const stop = () => {
    end.abort();
    return watching;
  };
  return { steps, faults, last, stop };
}

/**
 * The longest time, in milliseconds, from a step of a server until visitors had that number or a later one; after those
 * with which a reader's connection is new, apart. Infinite if they never had it.
 */
export function longestDelays(server: readonly Step[], visitors: readonly Step[]) {
  const delays = { kept: 0, anew: 0 };
  for (const { number, at, isAnew } of server) {
    const seen = visitors.find((one) => one.number >= number)?.at ?? Number.POSITIVE_INFINITY;
    const which = isAnew ? 'anew' : 'kept';
    delays[which] = Math.max(delays[which], seen - at);
  }
  return delays;
}
