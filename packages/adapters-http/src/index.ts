export {
  type AnsweredRequest,
  type CallSettings,
  Calls,
  type HttpLog,
  type Middleware,
  type ServiceState,
} from './chain/calls.ts';
export { type TrustedProxies, trustedProxies } from './chain/client-address.ts';
export { faults, type Reply, type RequestFault, refusals, replyTo } from './chain/replies.ts';
export { type Overload, overloads, Slots } from './chain/slots.ts';
export { HttpServer, type HttpServerSettings } from './listener/http-server.ts';
export { type ApplicationSettings, application, setMirrorRoute } from './routes/application.ts';
export type { CallLimits, Count, Limiter, Rate } from './routes/limits.ts';
export { type Checks, type OpsAnswer, type OpsSettings, opsApplication } from './routes/ops.ts';
export { contentSecurityPolicy, type Page, type Pages, page } from './routes/pages.ts';
