export { contentSecurityPolicy, Page, type Pages } from './answers/pages.ts';
export { faults, mirrorBody, type Reply, refusals } from './answers/replies.ts';
export { type AnswerHeaderSettings, standingHeaders } from './chain/answer-headers.ts';
export { type CallSettings, Calls } from './chain/calls.ts';
export { Capacity, type CapacityLimits, type Overload } from './chain/capacity.ts';
export type { Call, Middleware } from './chain/context.ts';
export { type AnsweredRequest, type HttpLog, silentLog } from './chain/http-log.ts';
export type { Count, Limiter, Rate } from './chain/limiter.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export { type TimeLimits, timeLimits } from './listener/time-limits.ts';
export { noProxies, type TrustedProxies } from './messages/client-address.ts';
export { type ApplicationSettings, application } from './routes/application.ts';
export { interfacePages, openapiPath } from './routes/docs-pages.ts';
export { type MountSettings, setMirrorListener, setMirrorRouter } from './routes/mount.ts';
export {
  type Checks,
  type OperatorsSettings,
  type OpsAnswer,
  operatorsApplication,
  type Version,
} from './routes/operators.ts';
export { type SetMirrorSettings, setMirrorPath, setMirrorRoute } from './routes/set-mirror-router.ts';
