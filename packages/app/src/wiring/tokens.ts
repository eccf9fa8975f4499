/*
 * The four modules of this folder make the service. Each binds tokens, and a value is made when the first part that needs it
 * is made: the use case (`use-case-module.ts`) on the database (`database-module.ts`), the listener for callers
 * (`http-module.ts`) and the one for operators (`operations-module.ts`). `service.ts` asks for the listeners. What nobody
 * needs is not made: if a program exchanges both ports of the use case, no database is opened.
 */
import type {
  CallLimits,
  HttpServer,
  Limiter,
  Middleware,
  SetMirrorSettings,
} from '@campaign-mirror/adapters-http';
import type { OpenHotPath } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, HostList, Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { LogLines } from '../logging/log.ts';
import type { Log } from '../logging/log-events.ts';
import type { httpMetrics } from '../metrics/http-metrics.ts';
import type { PageData } from '../ops-page/page-data.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** In which header a caller sends its credential, and whether a text can be one. */
export type CredentialForm = Pick<SetMirrorSettings, 'credentialHeader' | 'isWellFormed'>;

/** The parts of the service that a module of yours may rebind. What does not fit is refused at the start. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. */
  identity: token<Identity>('identity'),
  /** By default the bearer token of `Authorization`, of any form if the identity is yours. */
  credentialForm: token<CredentialForm>('credentialForm'),
  /** How often a caller may call: by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<Limiter | undefined>('callLimiter'),
  /** How many refused credentials an address may send: by default as FAILED_KEY_LIMIT says; undefined without a limit. */
  failedKeyLimiter: token<Limiter | undefined>('failedKeyLimiter'),
  /** Middleware of Koa that calls pass before the checks of the route; none by default. It must leave the body unread. */
  middleware: token<readonly Middleware[]>('middleware'),
  /** More metrics for `/metrics`, of other names than the service's; none by default. */
  metrics: token<Registry>('metrics'),
};

/** What the modules make for each other, in the order of their dependencies. */
export const parts = {
  /** The database, up to date. Asking for it opens it. */
  database: token<DatabaseAccess>('database'),
  hotPath: token<OpenHotPath>('hotPath'),
  /** Whether a text can be a credential, as the identity says. */
  isWellFormed: token<(credential: string) => boolean>('isWellFormed'),
  /** Whether the keys in the database identify callers. */
  acceptsKeys: token<boolean>('acceptsKeys'),
  /** The hosts that no mirror may point to. Asking for it opens the database if the use case needs one. */
  deniedHosts: token<HostList>('deniedHosts'),
  setCampaignMirror: token<SetCampaignMirror>('setCampaignMirror'),
  /** The database if the use case needs one, otherwise undefined. Asking for it opens none. */
  openedDatabase: token<DatabaseAccess | undefined>('openedDatabase'),
  pageData: token<PageData>('pageData'),
  limits: token<CallLimits>('limits'),
  httpMetrics: token<ReturnType<typeof httpMetrics>>('httpMetrics'),
  /** The listener for callers. */
  http: token<HttpServer>('http'),
  /** The listener for operators. */
  ops: token<HttpServer>('ops'),
};

export interface ModuleInput {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  readonly registry: Registry;
  readonly life: Life;
}
