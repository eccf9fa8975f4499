export {
  type AnsweredRequest,
  type CallSettings,
  Calls,
  type HttpLog,
  type Middleware,
  type ServiceState,
} from './chain/calls.ts';
export { type TrustedProxies, trustedProxies } from './chain/client-address.ts';
export {
  type CallLimits,
  type Count,
  type Limiter,
  type Overload,
  type Rate,
  Slots,
} from './chain/limits.ts';
export { type Reply, type RequestFault, replyTo } from './chain/replies.ts';
export { type ApplicationSettings, application } from './routes/application.ts';
export type { Page, Pages } from './routes/pages.ts';
