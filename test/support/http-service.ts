import {
  type AppSettings,
  HttpServer,
  type HttpServerSettings,
  interfacePages,
  koaHandler,
  type Limiter,
  Replies,
} from '@campaign-mirror/adapters-http';
import {
  type AccessKeyId,
  accessKeyFrom,
  type CampaignId,
  type CampaignRepository,
  type HostDenylist,
  type Identity,
  noDeniedHosts,
  SetCampaignMirror,
} from '@campaign-mirror/domain';
import { freshDatabase, type TestDatabase } from './database-server.ts';
import type { GroupCommitSetting } from './hot-paths.ts';
import { documentedPorts } from './http-connection.ts';
import { CapturedLog } from './http-log.ts';
import { named } from './operator.ts';
import { postgresWorld } from './postgres-world.ts';
import { before as addressBefore, newCampaign, newMirror, newOwner, type World } from './world.ts';

/** The service under test, on a port and a database of its own. */
export interface HttpService {
  readonly port: number;
  readonly server: HttpServer;
  readonly log: CapturedLog;
  readonly database: TestDatabase;
  readonly world: World;
  readonly keys: Record<'valid' | 'unknown' | 'expired' | 'revoked', string>;
  readonly validKeyId: AccessKeyId;
  readonly campaigns: Record<CampaignKind, CampaignId>;
  stop(): Promise<void>;
}

/** `own` is the one that the valid key may set; of the others each breaks the rules that its name says. */
const kinds = {
  own: {},
  ownBeside: {},
  default: { isDefault: true },
  foreign: { foreign: true },
  withoutMirror: { mirror: false },
  foreignDefault: { foreign: true, isDefault: true },
  foreignWithoutMirror: { foreign: true, mirror: false },
  foreignDefaultWithoutMirror: { foreign: true, isDefault: true, mirror: false },
} satisfies Record<string, { foreign?: boolean; isDefault?: boolean; mirror?: boolean }>;
type CampaignKind = keyof typeof kinds;

export interface HttpServiceOptions extends Partial<Omit<HttpServerSettings, 'replies' | 'log'>> {
  readonly retryAfter?: number;
  readonly deniedHosts?: HostDenylist;
  /** A service whose data this one serves too, instead of a database of its own. */
  readonly beside?: HttpService;
  readonly groupCommit?: GroupCommitSetting;
  readonly limits?: { readonly keys?: Limiter; readonly failedKeys?: Limiter };
  /** Ports that stand before the real ones. */
  readonly ports?: (world: World) => { campaigns?: CampaignRepository; identity?: Identity };
}

export async function httpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  const data = options.beside ?? (await freshData(options.groupCommit));
  const { world } = data;
  const { bodyLimit = 16_384, deniedHosts = noDeniedHosts, ports, retryAfter = 1 } = options;
  const { campaigns = world.campaigns, identity = world.identity } = ports?.(world) ?? {};
  const log = new CapturedLog();
  const replies = new Replies({ retryAfter });
  const useCaseFor = (who: Identity) => new SetCampaignMirror(campaigns, who, deniedHosts);
  const useCase = useCaseFor(identity);
  const { capacity, limits: { keys: limiter, failedKeys } = {} } = options;
  const limits = {
    ...(limiter && { keys: { limiter, identity, useCaseFor } }),
    ...(failedKeys && { failedKeys }),
  };
  const pages = interfacePages(replies, bodyLimit);
  const app: AppSettings = { useCase, replies, bodyLimit, log, limits, pages, ...(capacity && { capacity }) };
  const server = new HttpServer({ ...options, replies, log, bodyLimit }, koaHandler(app));
  const { port } = await server.listen(0, '127.0.0.1');
  documentedPorts.add(port);
  const stop = async () => {
    await server.drain(0);
    documentedPorts.delete(port);
    if (options.beside) return;
    await world.close();
    await data.database.drop();
  };
  return { ...data, port, server, log, stop };
}

async function freshData(groupCommit?: GroupCommitSetting) {
  const database = await freshDatabase();
  const world = await postgresWorld(database, { ...(groupCommit && { groupCommit }) });
  return { database, world, ...(await caller(world)) };
}

async function caller(world: World): Promise<Pick<HttpService, 'keys' | 'validKeyId' | 'campaigns'>> {
  const owner = newOwner();
  const issue = (name: string) => world.accessKeys.issue({ owner, name: named(name) });
  const [valid, expired, revoked] = [await issue('valid'), await issue('expired'), await issue('revoked')];
  await world.others.expireKey(expired.id);
  await world.accessKeys.revoke(revoked.id);
  const unknown = accessKeyFrom(new Uint8Array(32).fill(7));
  const campaigns: Partial<Record<CampaignKind, CampaignId>> = {};
  for (const [kind, { foreign = false, isDefault = false, mirror = true }] of Object.entries<{
    foreign?: boolean;
    isDefault?: boolean;
    mirror?: boolean;
  }>(kinds)) {
    const { id } = await newCampaign(world, foreign ? newOwner() : owner, isDefault);
    if (mirror) await newMirror(world, id, addressBefore);
    campaigns[kind as CampaignKind] = id;
  }
  return {
    keys: { valid: valid.key, unknown, expired: expired.key, revoked: revoked.key },
    validKeyId: valid.id,
    campaigns: campaigns as HttpService['campaigns'],
  };
}

/**
 * Starts the service before the tests of the describe block that it is called in, and stops it after them.
 * `beside`: what gives the service whose data it serves.
 */
export function withHttpService(
  options?: Omit<HttpServiceOptions, 'beside'>,
  beside?: () => HttpService,
): () => HttpService {
  let service: HttpService | undefined;
  before(async () => {
    service = await httpService({ ...options, ...(beside && { beside: beside() }) });
  });
  after(() => service?.stop());
  return () => {
    if (!service) throw new Error('the service runs while tests run only');
    return service;
  };
}
