export type { AnsweredRequest, CallSettings, HttpLog, Middleware, ServiceState } from './chain/calls.ts';
export { Calls } from './chain/calls.ts';
export { type TrustedProxies, trustedProxies } from './chain/client-address.ts';
export type { CallLimits, Count, Limiter, Overload, Rate } from './chain/limits.ts';
export { Slots } from './chain/limits.ts';
export { type Reply, type RequestFault, replyTo } from './chain/replies.ts';
export { type ApplicationSettings, application } from './routes/application.ts';
export type { Page, Pages } from './routes/pages.ts';
