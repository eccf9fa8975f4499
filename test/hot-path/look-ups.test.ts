import type { AccessKey, CampaignId, Identified } from '@campaign-mirror/domain';
import { accessKeyFrom, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { hotPathBy, statementsBy } from '../support/store/hot-paths.ts';
import type { Live } from '../support/store/world.ts';

const unknown = (number: number) => accessKeyFrom(new Uint8Array(32).fill(number));
const nothing = 424_242 as CampaignId;

describe('group commit: look-ups that go together', () => {
  const service = groupedOf('suite');
  beforeEach(() => {
    service.ran.length = 0;
  });

  it('each key has its own answer: valid, also at infinity, unknown, revoked, expired, and the same one again; the valid were used', async () => {
    const [valid, endless, limited, revoked, expired] = await service.live(5);
    const expires = 'update campaign_mirror.access_keys set expires_at = $2 where id = $1';
    await service.database.admin.query(expires, [endless.keyId, 'infinity']);
    await service.database.admin.query(expires, [limited.keyId, new Date(Date.now() + 3_600_000)]);
    await service.world.accessKeys.revoke({ ids: [revoked.keyId] });
    await service.world.others.expireKey(expired.keyId);
    const asked: [AccessKey, Live | undefined][] = [
      [unknown(1), undefined],
      [valid.key, valid],
      [revoked.key, undefined],
      [endless.key, endless],
      [valid.key, valid],
      [expired.key, undefined],
      [limited.key, limited],
      [unknown(2), undefined],
    ];
    const callers = await Promise.all(asked.map(([key]) => service.identity.whoIs(key, { afresh: true })));
    const refused: Record<string, Identified> = {
      [revoked.key]: { refused: 'revoked-key', subject: revoked.by.subject },
      [expired.key]: { refused: 'expired-key', subject: expired.by.subject },
    };
    expect(callers).to.deep.equal(asked.map(([key, live]) => live?.by ?? refused[key]));
    expect(service.ran).to.have.length(1);

    const used = [];
    for (const { seen } of [valid, endless, limited, revoked, expired]) {
      const [record] = await service.world.accessKeys.list({ owner: seen.ownerId, limit: 1 });
      used.push(record?.lastUsedAt !== null);
    }
    expect(used).to.deep.equal([true, true, true, false, false]);
  });

  it('more than go together: each has its own answer all the same', async () => {
    const lives = await service.live(3);
    const all = Array.from({ length: 300 }, (_, at) => at);
    const [callers, found] = await Promise.all([
      Promise.all(all.map((at) => service.identity.whoIs(lives[at % 4]?.key ?? unknown(at % 256)))),
      Promise.all(all.map((at) => service.campaigns.find(lives[at % 4]?.seen.id ?? nothing))),
    ]);
    expect(callers).to.deep.equal(all.map((at) => lives[at % 4]?.by));
    expect(found).to.deep.equal(all.map((at) => lives[at % 4]?.seen));
    expect(service.ran.length).to.be.lessThan(20);
    // 256, of which every fourth is not found.
    expect(Math.max(...service.ran.map(({ rows }) => rows))).to.equal(192);
  });

  it('a database that is away, or goes away while they go one by one, is asked no more', async () => {
    const away = new Unavailable('planted');
    const mistake = Object.assign(new pg.DatabaseError('planted', 1, 'error'), { code: '22000' });
    for (const last of [1, 2]) {
      let asked = 0;
      const leaving = statementsBy(service.pool, (_, __, nth) => {
        asked = nth;
        return Promise.reject(nth < last ? mistake : away);
      });
      const { campaigns } = hotPathBy(service.pool, { statements: leaving });
      const answers = [1, 2, 3].map((id) => rejection(campaigns.find(id as CampaignId)));
      for (const fault of await Promise.all(answers)) expect(fault).to.equal(away);
      expect(asked).to.equal(last);
    }
  });
});
