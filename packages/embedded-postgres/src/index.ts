export {
  type DatabaseAddress,
  type EmbeddedDatabase,
  type EmbeddedEvent,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from './server/database.ts';
export { advice, EmbeddedError } from './server/errors.ts';
export { freePort, type ServerSettings } from './server/server.ts';
