import {
  type AccessKey,
  accessKeyFrom,
  type CampaignId,
  keySubject,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { KeyUses } from '../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { silentHotPathObserver } from '../../packages/adapters-persistence/src/statements/hot-path-observer.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { rival } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { groupedOf } from '../support/process/lives.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { named } from '../support/store/operator.ts';
import { newCampaign, newOwner } from '../support/store/world.ts';

const unknown = (number: number) => accessKeyFrom(new Uint8Array(32).fill(number));

describe('group commit: look-ups that go together', () => {
  const service = groupedOf('test');
  let identity: PostgresIdentity;
  let campaigns: PostgresCampaigns;
  let uses: KeyUses;
  beforeEach(async () => {
    uses = new KeyUses(service.pool, { gatherFor: 2 ** 30 });
    identity = new PostgresIdentity(service.hotPath, { uses });
    campaigns = new PostgresCampaigns(service.hotPath);
  });

  const issue = (owner = newOwner(), expiresIn?: number) =>
    service.world.accessKeys
      .issue({ owner, name: named('key'), ...(expiresIn !== undefined && { expiresIn }) })
      .then((issued) => ({ ...issued, owner }));

  it('each key has its own answer: valid, unknown, revoked, expired, and the same one again', async () => {
    const [valid, another, limited, revoked, expired] = await Promise.all([
      issue(),
      issue(),
      issue(newOwner(), 3600),
      issue(),
      issue(newOwner(), 3600),
    ]);
    await service.world.accessKeys.revoke(revoked.id);
    await service.world.others.expireKey(expired.id);
    const asked: [AccessKey, typeof valid | undefined][] = [
      [unknown(1), undefined],
      [valid.key, valid],
      [revoked.key, undefined],
      [another.key, another],
      [valid.key, valid],
      [expired.key, undefined],
      [limited.key, limited],
      [unknown(2), undefined],
      [valid.key, valid],
    ];
    const callers = await Promise.all(asked.map(([key]) => identity.whoIs(key)));
    expect(callers).to.deep.equal(
      asked.map(([, issued]) => issued && { ownerId: issued.owner, subject: keySubject(issued.id) }),
    );
    expect(service.ran).to.have.length(1);

    await uses.write();
    const used = await Promise.all(
      [valid, another, limited, revoked, expired].map(async ({ owner }) => {
        const [record] = await service.world.accessKeys.list({ owner, limit: 1 });
        return record?.lastUsedAt !== null;
      }),
    );
    expect(used).to.deep.equal([true, true, true, false, false]);
  });

  it('a key that expires at infinity is valid, for a look-up and for a write', async () => {
    const [live, other] = await service.live(2);
    const endless = "update campaign_mirror.access_keys set expires_at = 'infinity' where id = $1";
    await service.database.admin.query(endless, [live.keyId]);
    expect(await identity.whoIs(live.key)).to.deep.equal(live.by);
    for (let time = 0; time < 2; time++) {
      const both = await Promise.all(
        [live, other as never].map((one) => service.set(one, 'https://example.com/')),
      );
      expect(both.map(({ kind }) => kind)).to.deep.equal(['mirror-set', 'mirror-set']);
    }
    expect(service.ran).to.have.length(4);
  });

  it('each campaign has its own answer, beside keys: of an owner, the default one, without a mirror, none, and the same one again', async () => {
    const [live] = await service.live(1);
    const bare = await newCampaign(service.world);
    const byDefault = await newCampaign(service.world, newOwner(), true);
    const nothing = 424_242 as CampaignId;
    const asked = [live.seen.id, nothing, bare.id, live.seen.id, byDefault.id];
    const [found, caller] = await Promise.all([
      Promise.all(asked.map((id) => campaigns.find(id))),
      identity.whoIs(live.key),
      identity.whoIs(unknown(1)),
    ]);
    expect(found).to.deep.equal([live.seen, undefined, bare, live.seen, byDefault]);
    expect(caller).to.deep.equal(live.by);
    expect(service.ran).to.have.length(1);
  });

  it('more than go together: each has its own answer all the same', async () => {
    const keys = await Promise.all([issue(), issue(), issue()]);
    const lives = await service.live(3);
    const all = Array.from({ length: 300 }, (_, at) => at);
    const [callers, found] = await Promise.all([
      Promise.all(all.map((at) => identity.whoIs(keys[at % 4]?.key ?? unknown(at % 256)))),
      Promise.all(all.map((at) => campaigns.find(lives[at % 4]?.seen.id ?? (424_242 as CampaignId)))),
    ]);
    const subjects = [...keys.map(({ id }) => keySubject(id)), undefined];
    expect(callers.map((caller) => caller?.subject)).to.deep.equal(all.map((at) => subjects[at % 4]));
    expect(found).to.deep.equal(all.map((at) => lives[at % 4]?.seen));
    expect(service.ran.length).to.be.lessThan(20);
    expect(Math.max(...service.ran.map(({ rows }) => rows))).to.equal(256);
  });

  it('a key that is revoked while a batch is under way is refused by the next one', async () => {
    const [first, second] = [await issue(), await issue()];
    const holder = await rival(service.database);
    await holder.run('lock table campaign_mirror.access_keys in access exclusive mode');
    const before = Promise.all([identity.whoIs(first.key), identity.whoIs(second.key)]);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    setImmediate(() => setImmediate(resolve));
    await begun;
    const after = Promise.all([identity.whoIs(first.key), identity.whoIs(second.key)]);
    await holder.run('update campaign_mirror.access_keys set revoked_at = now() where id = $1', first.id);
    await holder.commit();
    await before;
    expect(await after).to.deep.equal([undefined, { ownerId: second.owner, subject: keySubject(second.id) }]);
    expect(service.ran).to.have.length(2);
  });

  it('a database that is away is asked once for all of them', async () => {
    const away = new Unavailable('planted');
    let asked = 0;
    class Away extends Statements {
      override run(): Promise<never> {
        asked += 1;
        return Promise.reject(away);
      }
    }
    const hotPath = hotPathOn(new Away(service.pool));
    const answers = [1, 2, 3].map((id) => rejection(hotPath.campaign(id as CampaignId)));
    for (const fault of await Promise.all(answers)) expect(fault).to.equal(away);
    expect(asked).to.equal(1);
  });

  it('a statement that the database refuses is told, and no member is tried in vain', async () => {
    const revoke = 'revoke select on campaign_mirror.campaigns from campaign_mirror_service';
    await service.database.admin.query(revoke);
    const heard: string[] = [];
    const observer = {
      ...silentHotPathObserver,
      ended: (statement: string) => void heard.push(statement),
      splitUp: (kind: string) => void heard.push(`${kind} split up`),
      refused: (statement: string) => void heard.push(`${statement} refused`),
    };
    const hotPath = hotPathOn(new Statements(service.pool, {}, observer), undefined, observer);
    const answers = [1, 2, 3].map((id) => rejection(hotPath.campaign(id as CampaignId)));
    for (const fault of await Promise.all(answers)) expect(fault).to.have.property('code', '42501');
    expect(heard).to.deep.equal([
      ...['look-up-many', 'look-up-many refused', 'look-up split up', 'look-up-one'],
    ]);
  });

  it('a database that goes away while they go one by one is asked no more', async () => {
    let asked = 0;
    class Leaving extends Statements {
      override run(): Promise<never> {
        asked += 1;
        return Promise.reject(asked === 1 ? new Error('planted') : new Unavailable('planted'));
      }
    }
    const hotPath = hotPathOn(new Leaving(service.pool));
    const answers = [1, 2, 3].map((id) => rejection(hotPath.campaign(id as CampaignId)));
    for (const fault of await Promise.all(answers)) expect(fault).to.be.instanceOf(Unavailable);
    expect(asked).to.equal(2);
  });

  it('two campaigns are looked up together, with a key or without one', async () => {
    const [one, other] = await service.live(2);
    const found = await Promise.all([one, other as typeof one].map(({ seen }) => campaigns.find(seen.id)));
    expect(found).to.deep.equal([one.seen, other?.seen]);
    expect(service.ran).to.have.length(1);
  });

  it('one that the database cannot answer fails alone', async () => {
    const [live] = await service.live(1);
    const beyond = (2 ** 63) as CampaignId;
    const answers = await Promise.allSettled([
      campaigns.find(live.seen.id),
      campaigns.find(beyond),
      identity.whoIs(live.key),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[0]).to.deep.include({ value: live.seen });
  });
});
