import { exampleContract } from '../documents/examples-contract.ts';
import { program } from '../support/programs.ts';

exampleContract({ file: 'set_mirror.py', command: () => program('python3') });
exampleContract({ file: 'set-mirror.php', command: () => program('php') });
