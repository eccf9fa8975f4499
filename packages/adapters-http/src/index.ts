export { type AnswerHeaderSettings, AnswerHeaders } from './answer-headers.ts';
export { type AppSettings, koaHandler } from './app.ts';
export { Capacity, type CapacityLimits } from './capacity.ts';
export { noProxies, type TrustedProxies } from './client-address.ts';
export { type Clock, platformClock } from './clock.ts';
export { type Deadlines, defaultDeadlines } from './deadlines.ts';
export { docsPath, interfacePages } from './docs-pages.ts';
export type { Unfinished } from './draining.ts';
export type { Exchange } from './exchange.ts';
export { networkOf } from './failed-keys.ts';
export {
  type AnsweredRequest,
  type HttpLog,
  silentLog,
  type TraceIds,
} from './http-log.ts';
export { type HttpObserver, silentHttpObserver } from './http-observer.ts';
export { HttpServer, type HttpServerSettings } from './http-server.ts';
export type { Count, Limiter, Rate } from './limiter.ts';
export { openapiDocument, openapiPath } from './openapi-document.ts';
export { type Checks, type OpsAnswer, opsHandler, type Readiness, type Version } from './ops-handler.ts';
export type { Overload, OverloadLog } from './overload-log.ts';
export { Page, type Pages } from './pages.ts';
export { mirrorBody, type Refused, Replies, type Reply } from './replies.ts';
export type { RequestTrace, RequestTraces } from './request-traces.ts';
export { setMirrorPath, setMirrorRoute } from './set-mirror-route.ts';
