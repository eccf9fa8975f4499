import type { HttpServer, OpsAnswer } from '@campaign-mirror/adapters-http';
import type { Database, DatabaseProbe, OpenHotPath } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { DatabaseAccess } from '../database/database-access.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { OpenIdentity } from '../identity/open-identity.ts';
import type { Limits } from '../limits/open-limits.ts';
import type { Log } from '../logging/log.ts';
import type { LogLines } from '../logging/log-lines.ts';
import type { Meters } from '../metrics/meters.ts';
import type { Scrape } from '../metrics/scrape.ts';
import type { RecentMoments } from '../ops-page/recent-moments.ts';
import type { Life } from '../process/life.ts';
import type { Health, Readiness } from '../process/readiness.ts';
import type { Settings } from '../settings/settings.ts';
import type { Traces } from '../traces/traces.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** What the modules make for each other. */
export const tokens = {
  meters: token<Meters>('meters'),
  traces: token<Traces | undefined>('traces'),
  access: token<DatabaseAccess>('access'),
  database: token<Database>('database'),
  hotPath: token<OpenHotPath>('hotPath'),
  campaigns: token<CampaignRepository>('campaigns'),
  openIdentity: token<OpenIdentity>('openIdentity'),
  identity: token<Identity>('identity'),
  setCampaignMirror: token<SetCampaignMirror>('setCampaignMirror'),
  limits: token<Limits>('limits'),
  probe: token<DatabaseProbe>('probe'),
  readiness: token<Readiness>('readiness'),
  health: token<Health>('health'),
  scrape: token<Scrape>('scrape'),
  recentMoments: token<RecentMoments>('recentMoments'),
  opsPage: token<Readonly<Record<string, OpsAnswer>>>('opsPage'),
  fleet: token<Fleet>('fleet'),
  http: token<HttpServer>('http'),
  ops: token<HttpServer>('ops'),
};

/** What the modules get from outside the container; what they make for each other has tokens. */
export interface Given {
  readonly settings: Settings;
  readonly log: Log;
  readonly lines: LogLines;
  /** Lost lines of the log so far. */
  readonly lostLines: () => number;
  readonly life: Life;
}
