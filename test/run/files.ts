import { globSync } from 'node:fs';
import { projectFolder } from '../support/workspace.ts';
import { choices, parts, type Suite } from './suites.ts';

export const suites: Readonly<Record<string, Suite>> = { ...parts, ...choices };

const roomOf = (file: string) => file.slice(0, file.indexOf('/'));

/** Throws where a test file belongs to no suite, or a suite names what there is not. */
export function filesOf({ of }: Suite): string[] {
  const found = globSync('*/**/*.test.ts', { cwd: `${projectFolder}test`, exclude: ['node_modules'] });
  const all = found.map((file) => file.replace(/\.test\.ts$/, '')).sort();
  const named = new Set(Object.values(parts).flatMap((part) => part.of));
  const there = new Set(all.flatMap((file) => [file, roomOf(file)]));
  const lost = all.filter((file) => !named.has(file) && !named.has(roomOf(file)));
  const absent = Object.values(suites).flatMap((suite) => suite.of.filter((name) => !there.has(name)));
  if (lost.length > 0 || absent.length > 0)
    throw new Error(`test/run/suites.ts: no suite has [${lost}], and there is no [${absent}]`);
  return of.flatMap((name) =>
    all.filter((file) => file === name || (roomOf(file) === name && !named.has(file))),
  );
}
