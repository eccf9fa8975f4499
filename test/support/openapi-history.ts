import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Document } from './openapi-breaks.ts';
import { currentText } from './openapi-file.ts';
import { projectFolder } from './workspace.ts';

const run = promisify(execFile);

/**
 * The last committed document that differs from the present one. Undefined where there is none: no such commit is at
 * hand, or this is no git repository at all.
 */
export async function lastCommitted(
  folder = projectFolder,
  now = currentText,
): Promise<Document | undefined> {
  for (const commit of await commits(folder)) {
    const text = await git(folder, 'show', `${commit}:openapi.json`).catch(() => undefined);
    if (text !== undefined && text !== now) return JSON.parse(text);
  }
  return undefined;
}

/** Those that changed the document, the newest first. */
async function commits(folder: string): Promise<string[]> {
  const list = await git(folder, 'log', '--format=%H', '--', 'openapi.json').catch(() => '');
  return list.split('\n').filter(Boolean);
}

async function git(folder: string, ...args: string[]): Promise<string> {
  // A checkout that belongs to somebody else is read, and nothing of it is run.
  const options = { cwd: folder, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await run('git', ['-c', 'safe.directory=*', ...args], options);
  return stdout;
}
