import { exampleContract } from './examples-contract.ts';

exampleContract('set-mirror.sh', () => 'sh');
exampleContract('set-mirror.mjs', () => process.execPath);
