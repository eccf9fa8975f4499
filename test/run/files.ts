import { globSync } from 'node:fs';
import { projectFolder } from '../support/workspace.ts';
import { choices, parts, type Suite } from './suites.ts';

export const suites: Readonly<Record<string, Suite>> = { ...parts, ...choices };

/** Throws where a test file belongs to no suite, or a suite names what there is not. */
export function filesOf({ of }: Suite): string[] {
  const all = allFiles();
  const named = new Set(Object.values(parts).flatMap((part) => part.of));
  const lost = all.filter((file) => !named.has(file) && !named.has(roomOf(file)));
  if (lost.length > 0)
    throw new Error(`no suite has ${lost.join(', ')}: name the room in test/run/suites.ts`);
  const there = new Set(all.flatMap((file) => [file, roomOf(file)]));
  const absent = Object.values(suites).flatMap((suite) => suite.of.filter((name) => !there.has(name)));
  if (absent.length > 0) throw new Error(`there is no ${absent.join(', ')}, which test/run/suites.ts names`);
  return of.flatMap((name) =>
    all.filter((file) => file === name || (roomOf(file) === name && !named.has(file))),
  );
}

/** By their paths below test/, without their endings. */
function allFiles(): string[] {
  return globSync('**/*.test.ts', { cwd: `${projectFolder}test`, exclude: (name) => name === 'node_modules' })
    .map((file) => file.replace(/\.test\.ts$/, ''))
    .sort();
}

const roomOf = (file: string) => file.slice(0, file.indexOf('/'));
