import { join } from 'node:path';
import { redirectorContract } from '../documents/redirector-contract.ts';
import { oldTools } from '../support/embedded/old-tools.ts';

// The oldest Node that its package.json allows; the documents suite tests it on the newest.
redirectorContract('Node 18', async () => join(await oldTools(18), 'node'), true);
