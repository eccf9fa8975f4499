import type { HttpServer } from '@campaign-mirror/adapters-http';
import type { Database, HotPath, KeyUses, Statements } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity, SetCampaignMirror } from '@campaign-mirror/domain';
import type { ServiceIdentifier } from 'inversify';
import type { DatabaseAccess } from './database-access.ts';
import type { Log } from './log.ts';
import type { Readiness } from './readiness.ts';
import type { Settings } from './settings.ts';

/** A function, since a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and its type is lost. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

export const tokens = {
  settings: token<Settings>('settings'),
  log: token<Log>('log'),
  access: token<DatabaseAccess>('access'),
  database: token<Database>('database'),
  statements: token<Statements>('statements'),
  hotPath: token<HotPath>('hotPath'),
  campaigns: token<CampaignRepository>('campaigns'),
  keyUses: token<KeyUses>('keyUses'),
  identity: token<Identity>('identity'),
  setCampaignMirror: token<SetCampaignMirror>('setCampaignMirror'),
  readiness: token<Readiness>('readiness'),
  http: token<HttpServer>('http'),
  ops: token<HttpServer>('ops'),
};
