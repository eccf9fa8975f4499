// Names that only the packages of this project use, and the promised ones.
export { overloads } from './chain/limits.ts';
export { refusals } from './chain/replies.ts';
export * from './index.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export { type Checks, type OpsSettings, opsApplication, setMirrorRoute } from './routes/application.ts';
export { contentSecurityPolicy, openapiPath, staticPage } from './routes/pages.ts';
