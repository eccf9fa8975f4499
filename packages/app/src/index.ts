export { runService, type ServiceOptions } from './service/service.ts';
export { tokens } from './wiring/tokens.ts';
