import {
  type AnswerHeaderSettings,
  application,
  type CallSettings,
  Calls,
  Capacity,
  HttpServer,
  interfacePages,
  type Pages,
  type SetMirrorSettings,
  standingHeaders,
  type TimeLimits,
} from '@campaign-mirror/adapters-http';
import { type HostDenylist, noDeniedHosts, SetCampaignMirror } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';
import type { World } from '../store/world.ts';
import { documentedPorts, RawConnection } from './connection.ts';
import { type HttpData, httpData } from './data.ts';
import { CapturedLog } from './log.ts';

/** The service under test, on a port and a database of its own. */
export interface HttpService extends HttpData {
  readonly port: number;
  readonly server: HttpServer;
  readonly capacity: Capacity;
  readonly log: CapturedLog;
  /** Rejects where something was left of what was asked. */
  stop(): Promise<void>;
}

export interface HttpServiceOptions
  extends Partial<Omit<SetMirrorSettings, 'useCase'>>,
    Partial<Omit<CallSettings, 'log'>>,
    AnswerHeaderSettings {
  readonly deniedHosts?: HostDenylist;
  /** A service whose data this one serves too, instead of a database of its own. */
  readonly beside?: HttpService;
  readonly timeLimits?: TimeLimits;
  /** Instead of those of the service. */
  readonly pages?: Pages;
  /** Ports that stand before the real ones. */
  readonly ports?: (world: World) => Partial<Pick<World, 'campaigns' | 'identity'>>;
}

export async function httpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  const data = options.beside ?? (await httpData());
  const { deniedHosts = noDeniedHosts, pages = interfacePages() } = options;
  const { capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY }) } = options;
  const { campaigns, identity } = { ...data.world, ...options.ports?.(data.world) };
  const log = new CapturedLog();
  const shared = { calls: new Calls({ ...options, log }), log, capacity };
  const useCase = new SetCampaignMirror(campaigns, identity, deniedHosts);
  const server = new HttpServer(application({ ...options, ...shared, useCase, pages }).callback(), {
    ...shared,
    headers: standingHeaders,
    ...(options.timeLimits && { limits: options.timeLimits }),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  documentedPorts.add(port);
  /** Nothing may be left of what callers asked that leave now. */
  const stop = async () => {
    RawConnection.resetAll(port);
    const left = () => ({ inFlight: capacity.inFlight, connections: server.connections });
    try {
      const nothing = () => expect(left()).to.deep.equal({ inFlight: 0, connections: 0 });
      await eventually('a listener that its callers have left', nothing, { within: 5_000 });
    } finally {
      await server.drain(0);
      documentedPorts.delete(port);
      if (!options.beside) {
        await data.world.close();
        await data.database.drop();
      }
    }
  };
  return { ...data, port, server, capacity, log, stop };
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
