import { resolve } from 'node:path';
import { defaultFolder, type Place } from './postgres-programs/default-folder.ts';
import { projectFolder } from './postgres-programs/project.ts';
import { type Settings, settings } from './settings.ts';

/** The data folder: the default goes by the project, any other counts from where the command is called. */
export async function dataFolder(read: Settings): Promise<Place> {
  if (read.DATA_DIR !== settings.DATA_DIR.byDefault) return { folder: resolve(read.DATA_DIR) };
  return await defaultFolder(projectFolder);
}
