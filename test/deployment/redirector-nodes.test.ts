import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redirectorContract } from '../documents/redirector-contract.ts';
import { oldTools } from '../support/embedded/old-tools.ts';

for (const version of [18, 20, 22, 26]) {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-node-'));
    await oldTools(folder, version);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  redirectorContract(`Node ${version}`, () => join(folder, 'bin', 'node'), version < 26);
}
