import { join } from 'node:path';
import { redirectorContract } from '../documents/redirector-contract.ts';
import { oldTools } from '../support/embedded/old-tools.ts';

// On the project's own, which is newer, it runs with the documents.
for (const version of [18, 20, 22])
  redirectorContract(`Node ${version}`, async () => join(await oldTools(version), 'node'), true);
