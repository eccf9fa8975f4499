export { defaultFolder, type Place } from './cluster/default-folder.ts';
export { EmbeddedError } from './programs/errors.ts';
export {
  type DatabaseAddress,
  type EmbeddedDatabase,
  type EmbeddedEvent,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from './server/database.ts';
export { freePort } from './server/port.ts';
export type { ServerSettings } from './server/server-settings.ts';
