import { interfacePages } from '@campaign-mirror/adapters-http/docs';
import * as http from '@campaign-mirror/adapters-http/service';
import { type CampaignId, type HostList, SetCampaignMirror } from '@campaign-mirror/domain';
import { noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { freshDatabase } from '../database/database-server.ts';
import { eventually } from '../promises.ts';
import { unknownKey } from '../secrets.ts';
import { postgresWorld, type World } from '../store/postgres-world.ts';
import { named, newCampaign, newMirror, newOwner } from '../store/world.ts';
import { RawConnection } from './connection.ts';

/** Long enough for a slow machine. */
const patientLimits = { headersTimeout: 300_000, requestTimeout: 300_000 };

function capturedLog() {
  const requests: http.AnsweredRequest[] = [];
  const faults: { requestId: string; error: unknown; because: string }[] = [];
  return {
    ...{ requests, faults },
    answered: (request: http.AnsweredRequest) => void requests.push(request),
    failed: (requestId: string, error: unknown, because: string) =>
      void faults.push({ requestId, error, because }),
    /** Waits for the one line of a request. */
    line: (requestId: unknown) =>
      eventually(`the line of ${requestId}`, () => {
        const lines = requests.filter((request) => request.requestId === requestId);
        expect(lines).to.have.length(1);
        return lines[0] as http.AnsweredRequest;
      }),
  };
}

/** A database with the keys and campaigns of one owner. A campaign other than `own` breaks the rule in its name. */
async function httpData() {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const owner = newOwner();
  const issue = (expiresIn: number | 'never') =>
    world.accessKeys.issue({ owner, name: named('tests'), expiresIn });
  const [valid, expired, revoked] = [await issue('never'), await issue(0), await issue('never')];
  await world.accessKeys.revoke({ ids: [revoked.id] });
  const campaign = async (of = owner, isDefault = false): Promise<CampaignId> => {
    const { id } = await newCampaign(world, of, isDefault);
    await newMirror(world, id);
    return id;
  };
  const campaigns = {
    own: await campaign(),
    default: await campaign(owner, true),
    foreign: await campaign(newOwner()),
    withoutMirror: (await newCampaign(world, owner)).id,
  };
  const keys = { valid: valid.key, expired: expired.key, revoked: revoked.key, unknown: unknownKey };
  return { database, world, owner, keys, validKeyId: valid.id, campaigns };
}

export interface HttpServiceOptions
  extends Partial<Omit<http.ApplicationSettings, 'useCase' | 'calls'>>,
    Partial<Omit<http.CallSettings, 'log'>>,
    Pick<http.HttpServerSettings, 'timeout' | 'maxConnections' | 'connectionRefused'> {
  readonly deniedHosts?: HostList;
  readonly timeLimits?: http.HttpServerSettings['limits'];
  /** Replaces ports of the use case. */
  readonly ports?: (world: World) => Partial<Pick<World, 'campaigns' | 'identity'>>;
}

export type HttpService = Awaited<ReturnType<typeof httpService>>;

/** Starts the service under test on a database of its own, or on the data of the service `beside`. */
export async function httpService(
  options: HttpServiceOptions = {},
  beside?: Awaited<ReturnType<typeof httpData>>,
) {
  const data = beside ?? (await httpData());
  const { deniedHosts = noHosts, pages = interfacePages(), slots = new http.Slots() } = options;
  const { campaigns, identity } = { ...data.world, ...options.ports?.(data.world) };
  const log = capturedLog();
  const shared = { ...options, calls: new http.Calls({ ...options, log }), slots };
  const useCase = new SetCampaignMirror(campaigns, identity, deniedHosts);
  const server = new http.HttpServer(http.application({ ...shared, useCase, pages }).callback(), {
    ...shared,
    limits: { ...patientLimits, ...options.timeLimits },
  });
  const { port } = await server.listen(0, '127.0.0.1');
  const stop = async () => {
    RawConnection.resetAll(port);
    await server.drain(0);
    if (beside) return;
    await data.world.close();
    await data.database.drop();
  };
  return { ...data, port, server, slots, log, stop };
}

/** Starts the service before the tests of the `describe` block, on the data of `beside`, and stops it after them. */
export function withHttpService(options?: HttpServiceOptions, beside?: () => HttpService): () => HttpService {
  let service: HttpService | undefined;
  before(async () => {
    service = await httpService(options, beside?.());
  });
  after(() => service?.stop());
  return () => service ?? expect.fail('the service runs only during tests');
}
