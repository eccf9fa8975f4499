import { join } from 'node:path';
import { EmbeddedError } from '../programs/errors.ts';
import { databaseOsUser } from '../programs/os-user.ts';
import { deepestExisting, isThere, projectName, systemFolder } from '../programs/own-folder.ts';
import { barredFolder } from '../programs/passage.ts';

/** The location of the data of a project. */
export interface Place {
  readonly folder: string;
  /** Why it is outside the project. */
  readonly because?: string;
}

/**
 * The default data folder of a project: its `.data`, or a system folder if the database's OS user cannot enter that.
 * A folder that already holds data stays in use even if permissions change.
 */
export async function defaultFolder(project: string): Promise<Place> {
  const inside = join(project, '.data');
  const outside = join(systemFolder, 'data', projectName(project));
  if (await hasData(inside)) return { folder: inside };
  if (await hasData(outside)) return { folder: outside, because: 'an earlier start put it there' };
  const closed = await closedAbove(inside);
  return closed === undefined ? { folder: inside } : { folder: outside, because: closed };
}

async function closedAbove(folder: string): Promise<string | undefined> {
  try {
    const user = await databaseOsUser(join(folder, 'cluster', 'pgdata'));
    const closed = user && (await barredFolder(await deepestExisting(folder), user));
    return closed && `the OS user ${user.name} cannot enter ${closed}, and the database cannot run as root`;
  } catch (error) {
    // No suitable OS user: reported at the start of the database.
    if (error instanceof EmbeddedError) return undefined;
    throw error;
  }
}

const hasData = (folder: string) => isThere(join(folder, 'cluster'));
