import { exampleContract } from '../documents/examples-contract.ts';
import { program } from '../support/programs.ts';

exampleContract('set_mirror.py', () => program('python3'));
exampleContract('set-mirror.php', () => program('php'));
