import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** What `npm start` tells Node, besides the program. */
export const nodeOptions: readonly string[] =
  /^exec node (.+) packages\/app\/src\/main\.ts$/.exec(scripts.start)?.[1]?.split(' ') ?? [];
