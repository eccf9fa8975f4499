export { type AppSettings, koaHandler } from './app.ts';
export type { Deadlines } from './deadlines.ts';
export type { Exchange } from './exchange.ts';
export { type AnsweredRequest, type HttpLog, silentLog } from './http-log.ts';
export { HttpServer, type HttpServerSettings } from './http-server.ts';
export { opsHandler, type Readiness } from './ops-handler.ts';
export { mirrorBody, Replies } from './replies.ts';
export { setMirrorPath, setMirrorRoute } from './set-mirror-route.ts';
