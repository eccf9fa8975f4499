import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { projectFolder } from '../workspace.ts';
import { folderOf } from './lives.ts';
import { start } from './service-process.ts';

/** In a suite: starts the example in a folder of the suite, as a process. */
export function redirectorProgram() {
  const folder = folderOf('suite');
  let starting: Awaited<ReturnType<typeof redirectorIn>>;
  before(async () => {
    starting = await redirectorIn(folder.path);
  });
  return (...how: Parameters<typeof starting>) => starting(...how);
}

/** Copies the example to a folder, as `npm install` leaves it. */
export async function redirectorIn(folder: string) {
  const program = join(folder, 'redirector');
  await cp(`${projectFolder}examples/redirector`, program, { recursive: true });
  await mkdir(join(program, 'node_modules'));
  await symlink(`${projectFolder}packages/app/node_modules/pg`, join(program, 'node_modules/pg'));
  /** Starts it. `addresses`: variables that it gets as files, as secrets are given to it. */
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

/** Visits a path below `/c/`. `fetch` cannot read a `Location` of 64 KiB. */
export function visitorOf(base: string) {
  const agent = new Agent({ keepAlive: true });
  return (path: unknown, method = 'GET'): Promise<Visit> =>
    new Promise((resolve, reject) => {
      const options = { path: `/c/${path}`, method, agent, maxHeaderSize: 65_536 };
      const sent = request(base, options, (response) => {
        const { location, 'cache-control': cached } = response.headers;
        response.resume().on('end', () => resolve({ status: response.statusCode, location, cached }));
      });
      sent.on('error', reject).end();
    });
}
