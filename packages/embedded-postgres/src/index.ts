export {
  type DatabaseAddress,
  type EmbeddedDatabase,
  type EmbeddedEvent,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from './server/database.ts';
export { EmbeddedError } from './server/errors.ts';
export type { ServerSettings } from './server/server.ts';
