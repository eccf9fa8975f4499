import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** A unique file name for a project: the name of its folder, for readers, and a hash of its path. */
export function projectName(folder: string): string {
  const readable = basename(folder)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40);
  return `${readable || 'project'}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
}
