// The service's own, no promise: what only our packages use, beside the promised names.
export { refusals } from './chain/replies.ts';
export { overloads } from './chain/slots.ts';
export * from './index.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export { setMirrorRoute } from './routes/application.ts';
export { type Checks, type OpsSettings, opsApplication } from './routes/ops.ts';
export { contentSecurityPolicy, openapiPath, page } from './routes/pages.ts';
