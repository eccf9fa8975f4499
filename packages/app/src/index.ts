export { runService, type ServiceOptions } from './service/service.ts';
export { type KoaApplication, tokens } from './wiring/tokens.ts';
