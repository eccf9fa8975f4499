import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this copy of the project, without a slash at its end and without symbolic links. */
export const projectFolder = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

/** A file name for a project: its folder's name to read, and a hash of its path, so that no two have the same. */
export function projectName(folder: string): string {
  const readable = basename(folder)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  return `${readable || 'project'}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}
