export { openEmbeddedDatabase } from './server/embedded-database.ts';
export * from './server/options.ts';
