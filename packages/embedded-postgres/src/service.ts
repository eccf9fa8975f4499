// The service's own, no promise: what only our packages use, beside the promised names.
export * from './index.ts';
export { advice } from './server/programs.ts';
export { freePort } from './server/server-process.ts';
