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
    return { process: running, base, visit: visitorOf(base) };
  };
}

export interface Visit {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly cached: string | undefined;
}

/** Visits `/c/` and what is given, or a whole URL as to a proxy. A `Location` may be longer than `fetch` reads. */
export function visitorOf(base: string) {
  const agent = new Agent({ keepAlive: true });
  return (path: unknown, method = 'GET'): Promise<Visit> =>
    new Promise((resolve, reject) => {
      const target = `${path}`.startsWith('http:') ? `${path}` : `/c/${path}`;
      const sent = request(base, { path: target, method, agent, maxHeaderSize: 65_536 }, (response) => {
        const { location, 'cache-control': cached } = response.headers;
        response.resume().on('end', () => resolve({ status: response.statusCode, location, cached }));
      });
      sent.on('error', reject).end();
    });
}

/**
 * Looks at the number at the end of an address again and again, every few milliseconds, until `stop`. `steps`: when it rose;
 * `outages`: when looks failed, up to the next that did not; `faults`: what went back, and looks that failed unless they may.
 */
export function watched(look: () => Promise<string | undefined>, mayFail = false) {
  const steps: { readonly number: number; readonly at: number }[] = [];
  const outages: { from: number; to: number }[] = [];
  const faults: string[] = [];
  const end = new AbortController();
  const last = () => steps.at(-1)?.number ?? -1;
  const watching = (async () => {
    for (; !end.signal.aborted; await pause(5)) {
      const from = performance.now();
      const seen = await look().catch(String);
      const at = performance.now();
      const [, digits] = /^https:.*\/(\d+)$/.exec(seen ?? '') ?? [];
      const outage = outages.find(({ to }) => to === Number.POSITIVE_INFINITY);
      if (digits === undefined) {
        if (!mayFail) faults.push(`${seen} after ${last()}`);
        if (!outage) outages.push({ from, to: Number.POSITIVE_INFINITY });
        continue;
      }
      if (outage) outage.to = at;
      const number = Number(digits);
      if (number < last()) faults.push(`${number} after ${last()}`);
      if (number > last()) steps.push({ number, at });
    }
  })();
  const stop = () => {
    end.abort();
    return watching;
  };
  return { steps, outages, faults, last, stop };
}

export type Watched = ReturnType<typeof watched>;

/** In milliseconds, before and after an outage: the readers of a server lose it and find it again at other moments. */
const around = { before: 1_000, after: 5_000 };

/**
 * The longest time, in milliseconds, from a step of a server until visitors had that number or a later one. Apart from them,
 * those around an outage of the server, from its end. Infinite if they never had it.
 */
export function longestDelays({ steps, outages }: Watched, visitors: Watched) {
  const delays = { kept: 0, anew: 0 };
  for (const { number, at } of steps) {
    const seen = visitors.steps.find((one) => one.number >= number)?.at ?? Number.POSITIVE_INFINITY;
    const outage = outages.findLast(({ from, to }) => from < at + around.before && to > at - around.after);
    const which = outage ? 'anew' : 'kept';
    delays[which] = Math.max(delays[which], seen - Math.max(at, outage?.to ?? 0));
  }
  return delays;
}
