import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** A file name for a project: its folder's name to read, and a hash of its path, so that no two have the same. */
export function projectName(folder: string): string {
  const readable = basename(folder)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  return `${readable || 'project'}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}
