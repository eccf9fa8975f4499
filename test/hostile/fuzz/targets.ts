import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../support/workspace.ts';
import { callerTargets } from './caller-targets.ts';
import { operatorTargets } from './operator-targets.ts';
import type { Target } from './target.ts';

export const targets: Readonly<Record<string, Target>> = { ...callerTargets, ...operatorTargets };

/** Where the inputs are kept that were found for a target: each reached what none before it had. */
export const corpusOf = (name: string) => join(projectFolder, 'test/hostile/corpus', name);

/** The inputs that were kept for a target, by their files' names. */
export function keptFor(name: string): [string, Buffer][] {
  if (!existsSync(corpusOf(name))) return [];
  return readdirSync(corpusOf(name)).map((file) => [file, readFileSync(join(corpusOf(name), file))]);
}
