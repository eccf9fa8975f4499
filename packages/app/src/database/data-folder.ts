import { resolve } from 'node:path';
import type { Place } from '@campaign-mirror/embedded-postgres';
import { type Settings, settings } from '../settings/settings.ts';
import { projectFolder } from './project-folder.ts';

/** The data folder: the default is in the project; any other path is relative to the working directory. */
export async function dataFolder(read: Settings): Promise<Place> {
  if (read.DATA_DIR !== settings.DATA_DIR.byDefault) return { folder: resolve(read.DATA_DIR) };
  const { defaultFolder } = await import('@campaign-mirror/embedded-postgres');
  return await defaultFolder(projectFolder);
}
