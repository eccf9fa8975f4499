export { type AnswerHeaderSettings, headersOfRefusals } from './chain/answer-headers.ts';
export {
  type AnsweredRequest,
  type CallSettings,
  Calls,
  type HttpLog,
  type Middleware,
  silentHttpLog,
} from './chain/calls.ts';
export { Capacity, type CapacityLimits, type Overload } from './chain/capacity.ts';
export { type TrustedProxies, trustedProxies } from './chain/client-address.ts';
export { contentSecurityPolicy, Page, type Pages } from './chain/pages.ts';
export { type Asked, type BodyFault, faults, type Reply, refusals, replyTo } from './chain/replies.ts';
export { HttpServer, type HttpServerSettings, type TimeLimits, timeLimits } from './listener/http-server.ts';
export {
  type ApplicationSettings,
  application,
  setMirrorPath,
  setMirrorRoute,
} from './routes/application.ts';
export type { CallLimits, Count, Limiter, Rate } from './routes/limits.ts';
export { type MountSettings, setMirrorListener, setMirrorRouter } from './routes/mount.ts';
export {
  type Checks,
  type OperatorsSettings,
  type OpsAnswer,
  operatorsApplication,
  type Version,
} from './routes/operators.ts';
export type { SetMirrorSettings } from './routes/set-mirror.ts';
