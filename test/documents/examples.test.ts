import { exampleContract } from './examples-contract.ts';

// curl repeats a call after 500, too.
exampleContract('set-mirror.sh', () => 'sh', { repeatsFaults: true });
exampleContract('set-mirror.mjs', () => process.execPath);
