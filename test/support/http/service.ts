import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import {
  type ApplicationSettings,
  application,
  type CallSettings,
  Calls,
  HttpServer,
  type HttpServerSettings,
  Slots,
} from '@campaign-mirror/adapters-http/service';
import { type CampaignId, type HostList, SetCampaignMirror } from '@campaign-mirror/domain';
import { noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { freshDatabase } from '../database/database-server.ts';
import { eventually } from '../promises.ts';
import { unknownKey } from '../secrets.ts';
import { postgresWorld, type World } from '../store/postgres-world.ts';
import { before as addressBefore, named, newCampaign, newMirror, newOwner } from '../store/world.ts';
import { documentedPorts, RawConnection } from './connection.ts';
import { CapturedLog } from './log.ts';

/** So that no request of a test is cut off because the machine is slow. */
const patientLimits = { headersTimeout: 300_000, requestTimeout: 300_000 };

/** `own` is the one that the valid key may set; of the others each breaks the rule that its name says. */
const kinds = {
  own: {},
  default: { isDefault: true },
  foreign: { foreign: true },
  withoutMirror: { mirror: false },
};

/** A database of its own, with what a caller of the service has and has not. */
async function httpData() {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const owner = newOwner();
  const issue = (expiresIn: number | 'never') =>
    world.accessKeys.issue({ owner, name: named('tests'), expiresIn });
  const [valid, expired, revoked] = [await issue('never'), await issue(0), await issue('never')];
  await world.accessKeys.revoke({ ids: [revoked.id] });
  const campaigns: Record<string, CampaignId> = {};
  for (const [kind, how] of Object.entries(kinds)) {
    const { foreign, isDefault, mirror } = { foreign: false, isDefault: false, mirror: true, ...how };
    const { id } = await newCampaign(world, foreign ? newOwner() : owner, isDefault);
    if (mirror) await newMirror(world, id, addressBefore);
    campaigns[kind] = id;
  }
  return {
    database,
    world,
    owner,
    keys: { valid: valid.key, expired: expired.key, revoked: revoked.key, unknown: unknownKey },
    validKeyId: valid.id,
    campaigns: campaigns as Record<keyof typeof kinds, CampaignId>,
  };
}

export interface HttpServiceOptions
  extends Partial<Omit<ApplicationSettings, 'useCase' | 'calls'>>,
    Partial<Omit<CallSettings, 'log'>> {
  readonly deniedHosts?: HostList;
  readonly timeout?: number;
  readonly maxConnections?: number;
  readonly connectionRefused?: () => void;
  readonly timeLimits?: HttpServerSettings['limits'];
  /** Ports that stand before the real ones. */
  readonly ports?: (world: World) => Partial<Pick<World, 'campaigns' | 'identity'>>;
}

export type HttpService = Awaited<ReturnType<typeof httpService>>;

/** The service under test, on a port and a database of its own, or on the data of another one. */
export async function httpService(
  options: HttpServiceOptions = {},
  beside?: Awaited<ReturnType<typeof httpData>>,
) {
  const data = beside ?? (await httpData());
  const { deniedHosts = noHosts, pages = interfacePages() } = options;
  const { slots = new Slots() } = options;
  const { campaigns, identity } = { ...data.world, ...options.ports?.(data.world) };
  const log = new CapturedLog();
  const shared = { calls: new Calls({ ...options, log }), slots };
  const useCase = new SetCampaignMirror(campaigns, identity, deniedHosts);
  const server = new HttpServer(application({ ...options, ...shared, useCase, pages }).callback(), {
    ...shared,
    timeout: options.timeout,
    maxConnections: options.maxConnections,
    connectionRefused: options.connectionRefused,
    limits: { ...patientLimits, ...options.timeLimits },
  });
  const { port } = await server.listen(0, '127.0.0.1');
  documentedPorts.add(port);
  /** Rejects if something is left of what callers asked that leave now. */
  const stop = async () => {
    RawConnection.resetAll(port);
    const left = () => ({ used: slots.used, connections: server.connections });
    try {
      const nothing = () => expect(left()).to.deep.equal({ used: 0, connections: 0 });
      await eventually('a listener that its callers have left', nothing);
    } finally {
      await server.drain(0);
      documentedPorts.delete(port);
      if (!beside) {
        await data.world.close();
        await data.database.drop();
      }
    }
  };
  return { ...data, port, server, slots, log, stop };
}

/**
 * Starts the service before the tests of the describe block that it is called in, and stops it after them.
 * `beside`: what gives the service whose data it serves.
 */
export function withHttpService(options?: HttpServiceOptions, beside?: () => HttpService): () => HttpService {
  let service: HttpService | undefined;
  before(async () => {
    service = await httpService(options, beside?.());
  });
  after(() => service?.stop());
  return () => {
    if (!service) throw new Error('the service runs while tests run only');
    return service;
  };
}
