import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

const { scripts } = JSON.parse(readFileSync(`${projectFolder}package.json`, 'utf8'));

/** What `npm start` tells Node, besides the program. */
export const nodeOptions: readonly string[] =
  /^exec node (.+) packages\/app\/src\/main\.ts$/.exec(scripts.start)?.[1]?.split(' ') ?? [];
