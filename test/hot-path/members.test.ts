import { keySubject, SetCampaignMirror, type Subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { groupedOf } from '../support/process/lives.ts';
import { named } from '../support/store/operator.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('group commit: a member of a batch', () => {
  const service = groupedOf('suite');

  const setAll = async (...lives: readonly Pick<Live, 'seen' | 'by'>[]) =>
    (await Promise.all(lives.map((live) => service.setMirror(live, address)))).map((one) => one?.targetUrl);

  it('whose campaign was given away since it was judged is judged again and refused; the others are set, together', async () => {
    const lives = await service.live(4);
    const given = lives[1];
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
    const kinds = outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.because : outcome.kind));
    expect(kinds).to.deep.equal(['mirror-set', 'not-the-owner', 'mirror-set', 'mirror-set']);
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
    expect(await setAll(live, other, now)).to.deep.equal([undefined, address, address]);
    expect(await setAll(now, other, live)).to.deep.equal([address, address, undefined]);
    const rows = await service.history(live);
    expect(rows.map((row) => row.ownerId)).to.deep.equal([owner, owner]);
    const others = await service.history(other);
    expect(rows.map((row) => row.transaction)).to.deep.equal(others.map((row) => row.transaction));
  });

  it('whose caller has no key goes with those that have one, in one statement', async () => {
    const [first, ...others] = await service.live(3);
    const keyless = { ...first.by, subject: 'jwt:client-4' as Subject };
    service.ran.length = 0;
    expect(await setAll({ ...first, by: keyless }, ...others)).to.deep.equal([address, address, address]);
    expect(service.ran.map(({ name }) => name)).to.deep.equal(['set-mirrors']);
    const subjects = (await service.history(first, ...others)).map(({ subject }) => subject);
    expect(subjects).to.deep.equal([keyless.subject, ...others.map(({ by }) => by.subject)]);
  });

  it('whose campaign is the default one by now, or is deleted, or whose mirror is, is not set; the others are', async () => {
    const [byDefault, bare, gone, live] = await service.live(4);
    await service.world.others.setDefault(byDefault.seen.id, true);
    await service.world.others.deleteMirror(bare.seen.id);
    await service.world.others.deleteCampaign(gone.seen.id);
    expect(await setAll(byDefault, bare, gone, live)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      address,
    ]);
    expect(await service.history(byDefault, bare, gone, live)).to.have.length(1);
  });
});
