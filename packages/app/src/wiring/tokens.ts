import type { ApplicationSettings, application, Limiter, Middleware } from '@campaign-mirror/adapters-http';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
export const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** A Koa application. */
export interface KoaApplication extends ReturnType<typeof application> {}

/** The parts of the service that a module of yours may rebind or decorate. What does not fit is refused at the start. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. Yours gets every bearer token. */
  identity: token<Identity>('identity'),
  /** By default made of both ports. Yours may stand before it. */
  useCase: token<ApplicationSettings['useCase']>('useCase'),
  /** How often a caller may call: by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<Limiter | undefined>('callLimiter'),
  /** How many refused credentials an address may send: by default as FAILED_KEY_LIMIT says; undefined without a limit. */
  failedKeyLimiter: token<Limiter | undefined>('failedKeyLimiter'),
  /** Middleware of Koa that calls pass before the checks of the route; none by default. It must leave the body unread. */
  middleware: token<readonly Middleware[]>('middleware'),
  /** More metrics for `/metrics`, of other names than the service's; none by default. */
  metrics: token<Registry>('metrics'),
  /** The Koa application for callers: by default made of the use case, the limiters and the middleware. */
  application: token<KoaApplication>('application'),
  /** The Koa application for operators: health, metrics and their page. */
  opsApplication: token<KoaApplication>('opsApplication'),
};

export type PartName = keyof typeof tokens;
export const partNames = Object.keys(tokens) as PartName[];
