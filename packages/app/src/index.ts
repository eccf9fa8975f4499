export { runService, type ServiceOptions } from './wiring/run-service.ts';
export { type KoaApplication, tokens } from './wiring/service-module.ts';
