export { contentSecurityPolicy, Page, type Pages } from './answers/pages.ts';
export { type Asked, type BodyFault, faults, type Reply, refusals, replyTo } from './answers/replies.ts';
export { type AnswerHeaderSettings, headersOfRefusals } from './chain/answer-headers.ts';
export { type CallSettings, Calls } from './chain/calls.ts';
export { Capacity, type CapacityLimits, type Overload } from './chain/capacity.ts';
export { type TrustedProxies, trustedProxies } from './chain/client-address.ts';
export type { Middleware } from './chain/context.ts';
export { type AnsweredRequest, type HttpLog, silentLog } from './chain/http-log.ts';
export type { HttpServerSettings } from './listener/connection.ts';
export { HttpServer } from './listener/http-server.ts';
export { type TimeLimits, timeLimits } from './listener/time-limits.ts';
export {
  type ApplicationSettings,
  application,
  setMirrorPath,
  setMirrorRoute,
} from './routes/application.ts';
export type { Count, Limiter, Limits, Rate } from './routes/limits.ts';
export { type MountSettings, setMirrorListener, setMirrorRouter } from './routes/mount.ts';
export {
  type Checks,
  type OperatorsSettings,
  type OpsAnswer,
  operatorsApplication,
  type Version,
} from './routes/operators.ts';
export type { SetMirrorSettings } from './routes/set-mirror.ts';
