export { defaultFolder, type Place } from './cluster/default-folder.ts';
export { freePort } from './cluster/port.ts';
export type { ServerSettings } from './cluster/server-settings.ts';
export { EmbeddedError } from './programs/errors.ts';
export {
  type DatabaseAddress,
  type EmbeddedDatabase,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from './supervision/database.ts';
export type { EmbeddedEvent, EmbeddedEvents, SupervisionBounds } from './supervision/events.ts';
