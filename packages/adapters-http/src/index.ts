export { type AnswerHeaderSettings, AnswerHeaders } from './answers/answer-headers.ts';
export type { Checks, Version } from './answers/health.ts';
export { contentSecurityPolicy, Page, type Pages } from './answers/pages.ts';
export { mirrorBody, type Refused, Replies, type Reply } from './answers/replies.ts';
export { interfacePages } from './documentation/docs-pages.ts';
export { openapiDocument, openapiPath } from './documentation/openapi-document.ts';
export { Capacity, type CapacityLimits } from './listener/capacity.ts';
export type { Clock } from './listener/clock.ts';
export { type Deadlines, defaultDeadlines } from './listener/deadlines.ts';
export type { Unfinished } from './listener/draining.ts';
export type { Exchange } from './listener/exchange.ts';
export {
  type AnsweredRequest,
  type HttpLog,
  knownMethods,
  silentLog,
  type TraceIds,
} from './listener/http-log.ts';
export { type HttpObserver, silentHttpObserver } from './listener/http-observer.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export type { Count, Limiter, Rate } from './listener/limiter.ts';
export type { Overload, OverloadLog } from './listener/refusals.ts';
export type { RequestTrace, RequestTraces } from './listener/request-traces.ts';
export { noProxies, type TrustedProxies } from './messages/client-address.ts';
export { type AppSettings, koaHandler } from './routes/app.ts';
export { type MountSettings, setMirrorListener, setMirrorRouter } from './routes/mounted.ts';
export { type OpsAnswer, opsHandler, type Readiness } from './routes/ops-handler.ts';
export { setMirrorPath, setMirrorRoute } from './routes/set-mirror-route.ts';
