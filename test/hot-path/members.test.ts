import { keySubject, SetCampaignMirror, type Subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { groupedOf } from '../support/process/lives.ts';
import { named } from '../support/store/operator.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('group commit: a member of a batch', () => {
  const service = groupedOf('test');

  it('whose campaign was given away since it was judged is judged again and refused; the others are set, together', async () => {
    const lives = await service.live(4);
    const given = lives[1] as Live;
    const real = new PostgresCampaigns(service.hotPath);
    const { promise: allJudged, resolve } = Promise.withResolvers<void>();
    let judged = 0;
    const campaigns = {
      find: real.find.bind(real),
      setMirror: async (...args: Parameters<typeof real.setMirror>) => {
        judged += 1;
        if (judged === lives.length) {
          await service.world.others.transfer(given.seen.id, newOwner());
          resolve();
        }
        await allJudged;
        return real.setMirror(...args);
      },
    };
    const useCase = new SetCampaignMirror(campaigns, new PostgresIdentity(service.hotPath));
    const outcomes = await Promise.all(
      lives.map(({ key, seen }) =>
        useCase.execute({ credential: key, campaign: seen.id, address, requestId: 'request-1' }),
      ),
    );
    expect(
      outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.because : outcome.kind)),
    ).to.deep.equal(['mirror-set', 'not-the-owner', 'mirror-set', 'mirror-set']);
    expect(await service.history(given)).to.deep.equal([]);
    const rows = await service.history(...lives);
    expect(rows).to.have.length(3);
    expect(new Set(rows.map((row) => row.transaction)).size).to.equal(1);
  });

  it('that was judged on other facts than one before it, of the same campaign, goes with it: each is judged by itself', async () => {
    const [live, other] = await service.live(2);
    const owner = newOwner();
    const { id } = await service.world.accessKeys.issue({ owner, name: named('new owner') });
    const now = { seen: { ...live.seen, ownerId: owner }, by: { ownerId: owner, subject: keySubject(id) } };
    await service.world.others.transfer(live.seen.id, owner);
    for (const [first, second] of [
      [live, now],
      [now, live],
    ] as const) {
      const answers = await Promise.all([
        service.setMirror(first, address),
        service.setMirror(other as Live, address),
        service.setMirror(second, address),
      ]);
      const set = answers.map((mirror) => mirror?.targetUrl);
      expect(set).to.deep.equal([first, other, second].map((one) => (one === live ? undefined : address)));
    }
    const rows = await service.history(live);
    expect(rows.map((row) => row.ownerId)).to.deep.equal([owner, owner]);
    const others = (await service.history(other as Live)).map((row) => row.transaction);
    expect(rows.map((row) => others.includes(row.transaction))).to.deep.equal([true, true]);
  });

  it('whose caller has no key goes with those that have one, in one statement', async () => {
    const lives = await service.live(3);
    const keyless = { ...lives[0].by, subject: 'jwt:client-4' as Subject };
    const calls = lives.map((live, at) =>
      service.setMirror(at === 0 ? { ...live, by: keyless } : live, address),
    );
    for (const mirror of await Promise.all(calls)) expect(mirror).to.include({ targetUrl: address });
    expect(service.ran.map(({ name }) => name)).to.deep.equal(['set-mirrors']);
    const rows = await service.history(...lives);
    expect(rows.map(({ subject }) => subject)).to.deep.equal([
      keyless.subject,
      ...lives.slice(1).map(({ by }) => by.subject),
    ]);
  });

  it('that was judged when the campaign was not the default one is not set when it is; the others are', async () => {
    const lives = await service.live(3);
    await service.world.others.setDefault(lives[0].seen.id, true);
    const answers = await Promise.all(lives.map((live) => service.setMirror(live, address)));
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal([undefined, address, address]);
  });

  it('whose mirror, or campaign, is deleted is not set; the others are', async () => {
    const lives = await service.live(3);
    await service.world.others.deleteMirror(lives[0].seen.id);
    await service.world.others.deleteCampaign((lives[1] as Live).seen.id);
    const answers = await Promise.all(lives.map((live) => service.setMirror(live, address)));
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal([undefined, undefined, address]);
    expect(await service.history(...lives)).to.have.length(1);
  });
});
