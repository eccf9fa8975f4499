export type { Checks, Version } from './answers/health.ts';
export { contentSecurityPolicy, Page, type Pages } from './answers/pages.ts';
export { mirrorBody, type Refused, Replies, type Reply } from './answers/replies.ts';
export { type AnswerHeaderSettings, standingHeaders } from './chain/answer-headers.ts';
export { type CallSettings, Calls } from './chain/calls.ts';
export { Capacity, type CapacityLimits } from './chain/capacity.ts';
export {
  type AnsweredRequest,
  type HttpLog,
  knownMethods,
  silentLog,
  type TraceIds,
} from './chain/http-log.ts';
export type { Count, Limiter, Rate } from './chain/limiter.ts';
export type { Overload, OverloadLog } from './chain/overload-spells.ts';
export type { RequestTrace, RequestTraces } from './chain/request-traces.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export { type TimeLimits, timeLimits } from './listener/time-limits.ts';
export { noProxies, type TrustedProxies } from './messages/client-address.ts';
export { type ApplicationSettings, application } from './routes/application.ts';
export { interfacePages, openapiPath } from './routes/docs-pages.ts';
export { type MountSettings, setMirrorListener, setMirrorRouter } from './routes/mount.ts';
export { type OperatorsSettings, type OpsAnswer, operatorsApplication } from './routes/operators.ts';
export { type SetMirrorSettings, setMirrorPath, setMirrorRoute } from './routes/set-mirror-router.ts';
