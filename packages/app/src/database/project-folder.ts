import { fileURLToPath } from 'node:url';

/** The folder of this copy of the project, without a slash at its end and without symbolic links. */
export const projectFolder = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
