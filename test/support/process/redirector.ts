import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { freePort } from '@campaign-mirror/embedded-postgres';
import { projectFolder } from '../workspace.ts';
import { folderOf } from './lives.ts';
import { start } from './service-process.ts';

/** In a suite: the example as `npm install` leaves it, as a process of its own. */
export function redirectorProgram() {
  const folder = folderOf('suite');
  before(async () => {
    await cp(`${projectFolder}examples/redirector`, folder.at('redirector'), { recursive: true });
    await mkdir(folder.at('redirector', 'node_modules'));
    await symlink(`${projectFolder}packages/app/node_modules/pg`, folder.at('redirector/node_modules/pg'));
  });
  /** `addresses`: by the names of the variables, each in a file, as a secret is given to it. */
  return async (addresses: Readonly<Record<string, string>>, node = process.execPath) => {
    const settings: Record<string, string> = { PORT: `${await freePort()}` };
    for (const [name, address] of Object.entries(addresses)) {
      settings[`${name}_FILE`] = folder.at(name);
      await writeFile(folder.at(name), `${address}\n`);
    }
    const running = start(node, ['main.mjs'], settings, folder.at('redirector'));
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
