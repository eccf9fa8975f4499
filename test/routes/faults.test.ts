import { Capacity } from '@campaign-mirror/adapters-http';
import { type CampaignRepository, type Identity, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, goodBody, requestBytes } from '../support/http/request.ts';
import { type HttpServiceOptions, withHttpService } from '../support/http/service.ts';
import type { World } from '../support/store/world.ts';

const secret = 'postgres://user:hunter2@db.internal/campaigns select * from access_keys';
const secrets = ['hunter2', 'db.internal', 'access_keys', 'postgres', '.ts', 'at ', 'Error', 'node_modules'];

const unknown = async () => undefined;

/** Which port fails, the others being the real ones; each fails in the way that it is told. */
const failing: Record<
  string,
  (world: World, fail: () => never) => ReturnType<NonNullable<HttpServiceOptions['ports']>>
> = {
  'Identity.whoIs': (_, fail) => ({ identity: { claimedBy: unknown, whoIs: async () => fail() } }),
  'Identity.whoIs, at once': (_, fail) => ({ identity: { claimedBy: unknown, whoIs: fail } as Identity }),
  'CampaignRepository.find': ({ campaigns, identity }, fail) => ({
    identity: { claimedBy: unknown, whoIs: (key) => identity.whoIs(key) },
    campaigns: { find: async () => fail(), setMirror: (seen, change) => campaigns.setMirror(seen, change) },
  }),
  'CampaignRepository.setMirror': ({ campaigns }, fail) => ({
    campaigns: { find: (id) => campaigns.find(id), setMirror: async () => fail() } as CampaignRepository,
  }),
};

const faults: Record<string, () => never> = {
  'an Error': () => {
    throw new TypeError(secret, { cause: new Error(secret) });
  },
  'an error with a code': () => {
    throw Object.assign(new Error(secret), { code: '42601', status: 418, statusCode: 418, expose: true });
  },
  'an error with headers': () => {
    throw Object.assign(new Error(secret), { headers: { 'X-Leak': secret }, type: 'entity.too.large' });
  },
  'a text': () => {
    throw secret;
  },
  undefined: () => {
    throw undefined;
  },
};

describe('contract: answers — 500 and 503, by port', () => {
  const data = withHttpService();
  // With one place: a fault that kept it would leave none to the next.
  const capacity = new Capacity({ inFlight: 1 });
  for (const [port, broken] of Object.entries(failing)) {
    describe(port, () => {
      let fail: () => never = () => {
        throw new Error('not told how to fail');
      };
      const service = withHttpService({ capacity, ports: (world) => broken(world, () => fail()) }, data);

      for (const [name, fault] of Object.entries(faults)) {
        it(`contract: answers — anything else is 500: ${name}`, async () => {
          fail = fault;
          const { status, headers, body } = await ask(service(), {
            headers: { 'X-Request-Id': name.replaceAll(' ', '-') },
          });
          expect([status, body]).to.deep.equal([500, '{"message":"Server Error"}']);
          expect(headers).to.have.all.keys(
            ...['content-type', 'content-length', 'x-request-id', 'date', 'connection', 'keep-alive'],
            ...Object.keys(standing),
          );
          const told = JSON.stringify({
            ...headers,
            'x-request-id': '',
            body: body.replace('Server Error', ''),
          });
          for (const one of secrets) expect(told).not.to.include(one);
          expect(service().log.faults.at(-1)).to.include({
            requestId: headers['x-request-id'],
            because: 'unexpected',
          });
        });
      }

      it('contract: answers — database away: 503 with Retry-After', async () => {
        fail = () => {
          throw new Unavailable(secret, { cause: new Error(secret) });
        };
        const { status, headers, body } = await ask(service());
        expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
        expect(body).to.equal('{"message":"Service Unavailable"}');
        expect(JSON.stringify(headers)).not.to.include('hunter2');
        const id = headers['x-request-id'];
        expect(service().log.faults.at(-1)).to.include({ requestId: id, because: 'unavailable' });
        expect(await service().log.line(String(id))).to.include({ status: 503, because: 'unavailable' });
      });
    });
  }
});

describe('contract: answers — a campaign that changes each time that it is judged', () => {
  const changing = (campaigns: CampaignRepository): CampaignRepository => ({
    find: (id) => campaigns.find(id),
    setMirror: async (seen) => ({ kind: 'campaign-differs', campaign: seen }),
  });
  const service = withHttpService({ ports: ({ campaigns }) => ({ campaigns: changing(campaigns) }) });

  it('contract: order of checks — a judge-again loop that gives up is 503', async () => {
    const { status, headers } = await ask(service());
    expect([status, headers['retry-after']]).to.deep.equal([503, '1']);
  });
});

describe('contract: answers — the database is really away', () => {
  const service = withHttpService();

  async function away(isAway: boolean) {
    const { database } = service();
    const limit = isAway ? 0 : -1;
    await database.admin.query(`alter database ${database.name} with connection limit ${limit}`);
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = $2';
    if (isAway) await database.admin.query(others, [database.name, database.address('service').user]);
  }

  it('contract: answers — database away: 503 while it is, then 200 again, on the same connection', async () => {
    const connection = await RawConnection.open(service().port);
    const answer = async () => {
      await connection.send(requestBytes(service()));
      return connection.response();
    };
    expect((await answer()).status).to.equal(200);
    await away(true);
    try {
      for (let times = 0; times < 5; times++) {
        const { status, headers, body } = await answer();
        expect([status, headers['retry-after'], body]).to.deep.equal([
          503,
          '1',
          '{"message":"Service Unavailable"}',
        ]);
      }
      // What is refused without the database still is.
      const headers = { Authorization: 'Bearer x' };
      expect((await ask(service(), { headers, body: goodBody })).status).to.equal(401);
    } finally {
      await away(false);
    }
    expect((await answer()).status).to.equal(200);
  });
});
