import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemFolder } from '../programs/folders.ts';
import { barredFolder, databaseOsUser } from '../programs/os-user.ts';

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
  const hasData = (folder: string) => existsSync(join(folder, 'cluster'));
  if (hasData(inside)) return { folder: inside };
  if (hasData(outside)) return { folder: outside, because: 'an earlier start put it there' };
  // Where there is no suitable OS user, the start of the database says so.
  const user = await databaseOsUser(join(inside, 'cluster', 'pgdata')).catch(() => undefined);
  const closed = user && (await barredFolder(inside, user));
  if (closed === undefined) return { folder: inside };
  const because = `the OS user ${user?.name} cannot enter ${closed}, and the database cannot run as root`;
  return { folder: outside, because };
}

/** A unique file name for a project: the name of its folder, for readers, and a hash of its path. */
function projectName(folder: string): string {
  const readable = basename(folder).replace(/[^A-Za-z0-9._-]+/g, '-');
  const hash = createHash('sha256').update(folder).digest('hex');
  return `${readable.slice(0, 40) || 'project'}-${hash.slice(0, 12)}`;
}
