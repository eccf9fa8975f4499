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
import {
  type CampaignRepository,
  type HostDenylist,
  type Identity,
  noDeniedHosts,
  SetCampaignMirror,
} from '@campaign-mirror/domain';
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
  readonly ports?: (world: World) => { campaigns?: CampaignRepository; identity?: Identity };
}

export async function httpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  const data = options.beside ?? (await httpData());
  const { world } = data;
  const { bodyLimit = 16_384, deniedHosts = noDeniedHosts, ports } = options;
  const { campaigns = world.campaigns, identity = world.identity } = ports?.(world) ?? {};
  const log = new CapturedLog();
  const useCase = new SetCampaignMirror(campaigns, identity, deniedHosts);
  const { capacity = new Capacity({ inFlight: Number.POSITIVE_INFINITY }) } = options;
  const { pages = interfacePages() } = options;
  const calls = new Calls({ ...options, log });
  const shared = { calls, log, capacity };
  const app = application({ ...options, ...shared, useCase, bodyLimit, pages });
  const server = new HttpServer(app.callback(), {
    ...shared,
    headers: standingHeaders,
    ...(options.timeLimits && { limits: options.timeLimits }),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  documentedPorts.add(port);
  const stop = async () => {
    try {
      await stopListener(server, capacity, port);
    } finally {
      documentedPorts.delete(port);
      if (!options.beside) {
        await world.close();
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

/** Ends a listener whose callers leave now. @throws where something is left of what they asked: a leak */
async function stopListener(server: HttpServer, capacity: Capacity, port: number): Promise<void> {
  RawConnection.resetAll(port);
  const nothingIsLeft = () => {
    const { inFlight } = capacity;
    const { connections } = server;
    expect({ inFlight, connections }).to.deep.equal({ inFlight: 0, connections: 0 });
  };
  try {
    await eventually('a listener that its callers have left', nothingIsLeft, { within: 5_000 });
  } finally {
    await server.drain(0);
  }
}
