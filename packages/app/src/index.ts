export { runService, type ServiceOptions } from './service/service.ts';
export { type CredentialForm, tokens } from './wiring/tokens.ts';
