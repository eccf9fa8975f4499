export { type KoaApplication, tokens } from './wiring/modules.ts';
export { runService, type ServiceOptions } from './wiring/run-service.ts';
