import type { HttpServer } from '@campaign-mirror/adapters-http';
import type { OpenHotPath } from '@campaign-mirror/adapters-persistence';
import type { SetCampaignMirror } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { OpenIdentity } from '../http/identity.ts';
import type { Log } from '../logging/log.ts';
import type { LogLines } from '../logging/log-lines.ts';
import type { httpMetrics } from '../metrics/http-metrics.ts';
import type { PageData } from '../ops-page/page-data.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** What the modules make for each other, in the order of their dependencies. */
export const tokens = {
  access: token<DatabaseAccess>('access'),
  hotPath: token<OpenHotPath>('hotPath'),
  pageData: token<PageData>('pageData'),
  identity: token<OpenIdentity>('identity'),
  setCampaignMirror: token<SetCampaignMirror>('setCampaignMirror'),
  httpMetrics: token<ReturnType<typeof httpMetrics>>('httpMetrics'),
  http: token<HttpServer>('http'),
  ops: token<HttpServer>('ops'),
};

/** Settings, log and metrics: what every module gets. */
export interface Given {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  readonly registry: Registry;
  readonly life: Life;
}
