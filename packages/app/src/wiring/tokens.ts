import type { CallLimits, HttpServer, Limiter, SetMirrorSettings } from '@campaign-mirror/adapters-http';
import type { OpenHotPath } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { Log, LogLines } from '../logging/log.ts';
import type { httpMetrics } from '../metrics/http-metrics.ts';
import type { PageData } from '../ops-page/page-data.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** In which header a caller sends its credential, and whether it can be one. */
export type CredentialForm = Pick<SetMirrorSettings, 'credentialHeader' | 'isWellFormed'>;

/** The parts of the service that a module of yours may rebind. What is not asked for is not opened. */
export const tokens = {
  /** By default that of PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. */
  identity: token<Identity>('identity'),
  /** By default the bearer token of `Authorization`; with an identity of yours, whatever that says. */
  credentialForm: token<CredentialForm>('credentialForm'),
  /** How often a caller may call: by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<Limiter | undefined>('callLimiter'),
  /** How many refused credentials an address may send: by default as FAILED_KEY_LIMIT says; undefined without a limit. */
  failedKeyLimiter: token<Limiter | undefined>('failedKeyLimiter'),
};

/** What the modules make for each other besides, in the order of their dependencies. */
export const parts = {
  access: token<DatabaseAccess>('access'),
  hotPath: token<OpenHotPath>('hotPath'),
  /** Whether callers are known by the keys in the database. */
  knowsKeys: token<boolean>('knowsKeys'),
  setCampaignMirror: token<SetCampaignMirror>('setCampaignMirror'),
  /** The database where the use case has opened it, else nothing. */
  opened: token<DatabaseAccess | undefined>('opened'),
  pageData: token<PageData>('pageData'),
  limits: token<CallLimits>('limits'),
  httpMetrics: token<ReturnType<typeof httpMetrics>>('httpMetrics'),
  http: token<HttpServer>('http'),
  ops: token<HttpServer>('ops'),
};

/** Settings, log and metrics: what every module gets. */
export interface ModuleInput {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  readonly registry: Registry;
  readonly life: Life;
}
