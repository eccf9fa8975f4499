import { fileURLToPath } from 'node:url';
import { type Settings, settings } from './settings.ts';

/** The project's own folder: the default place of the embedded database, wherever a command is called from. */
const projectFolder = fileURLToPath(new URL('../../../', import.meta.url));

/** The data folder: the default lies in the project, any other counts from where the command is called. */
export function dataFolder(read: Settings): string {
  return read.DATA_DIR === settings.DATA_DIR.byDefault ? `${projectFolder}.data` : read.DATA_DIR;
}
