import { type Subject, subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import { change, type Live } from '../support/store/world.ts';

const to = 'https://example.com/new';

describe('the time at which a key was last used', () => {
  const service = groupedOf('suite');

  /** `xmin` changes with each write of the row. */
  async function stored({ keyId }: Live) {
    const { rows } = await service.database.admin.query(
      `select xmin, used_at is not null as used, used_at > now() - interval '1 minute' as fresh
       from campaign_mirror.key_uses where access_key_id = $1`,
      [keyId],
    );
    expect(rows).to.have.length(1);
    return rows[0];
  }
  const expectUsed = async (live: Live) => expect(await stored(live)).to.include({ fresh: true });
  const expectUnused = async (live: Live) => expect(await stored(live)).to.include({ used: false });

  /** Makes the last use of the key this old; null: the key was never used. */
  async function rest(age: string | null, { keyId }: Live): Promise<void> {
    const text =
      'update campaign_mirror.key_uses set used_at = now() - $2::interval where access_key_id = $1';
    await service.database.admin.query(text, [keyId, age]);
  }

  it('is written by the first call with the key, whatever the answer is', async () => {
    const [live, refused] = await service.live(2);
    for (const one of [live, refused]) await expectUnused(one);
    expect(await service.set(live, to)).to.have.property('kind', 'mirror-set');
    await expectUsed(live);
    await expectUnused(refused);
    expect(await service.set(refused, 'ftp://a.example/')).to.have.property('because', 'not-http');
    await expectUsed(refused);
  });

  it('is written once a minute, whichever process has the calls', async () => {
    const live = await service.campaign();
    const another = await service.another();
    await service.set(live, to);
    await rest('59 s', live);
    const before = await stored(live);
    for (const { set } of [service, another, another]) await set(live, to);
    expect(await stored(live), 'the same version of the row').to.deep.equal(before);
    await rest('61 s', live);
    await service.set(live, to);
    expect(await stored(live)).not.to.deep.equal(before);
  });

  it('is skipped while the row is locked, so that no call waits', async () => {
    const [held, free] = await service.live(2);
    const locked = 'select from campaign_mirror.key_uses where access_key_id = $1 for update';
    const holder = await service.hold(locked, held.keyId);
    const found = await Promise.all([held, free].map(({ key }) => service.identity.whoIs(key)));
    expect(found).to.deep.equal([held.by, free.by]);
    // If they waited for the holder, this would never end.
    const set = await Promise.all([held, free].map((live) => service.setMirror(live, to)));
    for (const mirror of set) expect(mirror).to.include({ targetUrl: to });
    await expectUsed(free);
    await holder.rollback();
    await expectUnused(held);
  });

  it('is not written for a revoked or expired key, or for a caller without a key', async () => {
    const [revoked, expired, live] = await service.live(3);
    await service.world.accessKeys.revoke({ ids: [revoked.keyId] });
    const expire = 'update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1';
    await service.database.admin.query(expire, [expired.keyId]);
    const withoutKey = { ownerId: live.seen.ownerId, subject: subject('jwt', 'somebody') as Subject };
    const callers = [revoked, expired, { seen: live.seen, by: withoutKey }];
    const sets = callers.map(({ seen, by }) => service.campaigns.setMirror(seen, change(by)));
    const kinds = (await Promise.all(sets)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['caller-invalid', 'caller-invalid', 'mirror-set']);
    for (const one of [revoked, expired])
      expect(await service.identity.whoIs(one.key)).to.have.property('refused');
    for (const one of [revoked, expired, live]) await expectUnused(one);
  });
});
