export { openEmbeddedDatabase } from './server/embedded-database.ts';
export type * from './server/options.ts';
export { EmbeddedError } from './server/options.ts';
