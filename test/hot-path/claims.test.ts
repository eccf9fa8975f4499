import { expect } from 'chai';
import { lockMirror, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { unknownKey } from '../support/secrets.ts';
import { setAddress } from '../support/store/grouped.ts';
import type { Live } from '../support/store/world.ts';

const address = 'https://example.com/new';
const first = 'https://example.com/first';

describe('the write proves the key and the facts in one statement', () => {
  const service = groupedOf('suite');
  let live: Live;
  beforeEach(async () => {
    live = await service.campaign();
    await service.set(live, first);
    service.ran.length = 0;
  });

  /** The outcome of a call, and the statements that it took. */
  async function called(who: Pick<Live, 'seen' | 'key'> = live, to = address): Promise<unknown[]> {
    const outcome = await service.set(who, to);
    const kind = 'because' in outcome ? outcome.because : outcome.kind;
    // Two at the same time may end in any order.
    return [kind, ...service.ran.splice(0).sort()];
  }

  it('a remembered key takes one statement, a new one two', async () => {
    const [other, stranger] = await service.live(2);
    expect(await called()).to.deep.equal(['mirror-set', 'set-mirrors']);
    expect(await called(other)).to.deep.equal(['mirror-set', 'find-keys', 'set-mirrors']);
    expect(await called(live, 'ftp://a.example/')).to.deep.equal(['not-http', 'find-campaigns', 'find-keys']);
    const strangers = { seen: other.seen, key: live.key };
    expect(await called(strangers)).to.deep.equal(['not-the-owner', 'set-mirrors']);
    const unused = { seen: other.seen, key: stranger.key };
    expect(await called(unused)).to.deep.equal(['not-the-owner', 'find-keys', 'set-mirrors']);
    const unknown = { seen: other.seen, key: unknownKey };
    for (const to of [address, 'ftp://a.example/'])
      expect(await called(unknown, to)).to.deep.equal(['unauthenticated', 'find-keys']);
    const { others } = service.world;
    await others.setDefault(other.seen.id, true);
    expect(await called(other)).to.deep.equal(['default-campaign', 'set-mirrors']);
    await others.deleteMirror(live.seen.id);
    expect(await called()).to.deep.equal(['mirror-not-created', 'set-mirrors']);
    await others.deleteCampaign(live.seen.id);
    expect(await called()).to.deep.equal(['campaign-not-found', 'set-mirrors']);
  });

  it('a revoked key writes nothing: neither a call that waits for the row, nor a later one', async () => {
    const holder = await service.hold(lockMirror, live.seen.id);
    const waiting = service.set(live, `${address}/before`);
    await untilWaiting(service.database, waiting);
    await service.world.accessKeys.revoke({ ids: [live.keyId] });
    const later = service.set(live, `${address}/after`);
    await holder.run(setAddress, live.seen.id, 'https://example.com/rival');
    await holder.commit();
    const refused = { kind: 'unauthenticated', because: 'revoked-key', subject: live.by.subject };
    expect(await Promise.all([waiting, later])).to.deep.equal([refused, refused]);
    expect((await service.history(live)).map((row) => row.addressAfter)).to.deep.equal([first]);
  });
});
