export { openEmbeddedDatabase } from './server/database.ts';
export { EmbeddedError } from './server/errors.ts';
export type * from './server/options.ts';
