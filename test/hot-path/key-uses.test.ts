import { type CampaignId, type Subject, subject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import { change, type Live } from '../support/store/world.ts';

const to = 'https://example.com/new';

describe('when a key was last used', () => {
  const service = groupedOf('suite');

  /** `xmin` is another one with every write of the row. */
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

  /** As after a time in which nobody used them, or as new ones. */
  async function rest(at: string | null, ...lives: readonly Live[]): Promise<void> {
    const text =
      'update campaign_mirror.key_uses set used_at = now() - $2::interval where access_key_id = any ($1)';
    await service.database.admin.query(text, [lives.map(({ keyId }) => keyId), at]);
  }

  it('a new key was never used; the call that uses it shows at once that it was', async () => {
    const [live, other] = await service.live(2);
    for (const one of [live, other]) await expectUnused(one);
    expect(await service.set(live, to)).to.have.property('kind', 'mirror-set');
    await expectUsed(live);
    await expectUnused(other);
  });

  it('a key that is remembered is used by each answer that it gets, whatever it is', async () => {
    const [live, other] = await service.live(2);
    await service.set(live, to);
    const missing = { ...live.seen, id: 424_242 as CampaignId };
    const set = async ({ seen } = live, address = to) => {
      const outcome = await service.set({ key: live.key, seen }, address);
      return 'because' in outcome ? outcome.because : outcome.kind;
    };
    const calls: Record<string, () => Promise<string>> = {
      'mirror-set': set,
      'not-the-owner': () => set(other),
      'campaign-not-found': () => set({ ...live, seen: missing }),
      'not-http': () => set(live, 'ftp://a.example/'),
      'condition-failed': async () =>
        (await service.campaigns.setMirror(live.seen, { ...change(live.by), lastChange: 0 })).kind,
    };
    for (const [expected, call] of Object.entries(calls)) {
      await rest(null, live);
      expect(await call()).to.equal(expected);
      await expectUsed(live);
    }
  });

  it('a key that only gets 422 is used when the process sees it first', async () => {
    const [live] = await service.live(1);
    expect(await service.set(live, 'ftp://a.example/')).to.have.property('because', 'not-http');
    await expectUsed(live);
  });

  it('it is written once in a minute, whatever this process and others do, and again after it', async () => {
    const [live] = await service.live(1);
    const others = await service.another();
    await service.set(live, to);
    const first = await stored(live);
    for (const { set } of [service, others, others]) await set(live, to);
    expect(await stored(live), 'the same version of the row').to.deep.equal(first);
    await rest('59 s', live);
    const younger = await stored(live);
    await service.set(live, to);
    expect(await stored(live)).to.deep.equal(younger);
    await rest('61 s', live);
    await service.set(live, to);
    await expectUsed(live);
  });

  it('a row that somebody holds is passed over: nobody waits, the other keys are written', async () => {
    const [held, free] = await service.live(2);
    const locked = 'select from campaign_mirror.key_uses where access_key_id = $1 for update';
    const holder = await service.hold(locked, held.keyId);
    const found = await Promise.all([held, free].map(({ key }) => service.identity.whoIs(key)));
    expect(found).to.deep.equal([held.by, free.by]);
    await expectUsed(free);
    await rest(null, free);
    // If they waited for the holder, this would never end.
    const set = await Promise.all([held, free].map((live) => service.setMirror(live, to)));
    for (const mirror of set) expect(mirror).to.include({ targetUrl: to });
    await expectUsed(free);
    await holder.rollback();
    await expectUnused(held);
  });

  it('a use of a key that was revoked or has expired is none', async () => {
    const [revoked, expired, ...others] = await service.live(3);
    await service.world.accessKeys.revoke({ ids: [revoked.keyId] });
    await service.world.others.expireKey(expired.keyId);
    const sets = [revoked, expired, ...others].map(({ seen, by }) =>
      service.campaigns.setMirror(seen, change(by)),
    );
    const kinds = (await Promise.all(sets)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['caller-invalid', 'caller-invalid', 'mirror-set']);
    for (const live of [revoked, expired]) {
      expect(await service.identity.whoIs(live.key)).to.have.property('refused');
      await expectUnused(live);
    }
  });

  it('several calls with one key in one batch are one update', async () => {
    const [live, other] = await service.live(2);
    await service.database.admin.query(`
      create table campaign_mirror.writes (access_key_id bigint);
      create function campaign_mirror.count_write() returns trigger language plpgsql security definer as $$
        begin insert into campaign_mirror.writes values (new.access_key_id); return null; end
      $$;
      create trigger count_write after update on campaign_mirror.key_uses
        for each row execute function campaign_mirror.count_write()`);
    const calls = [live.seen, other.seen, { ...live.seen, id: 424_242 as CampaignId }].map((seen) =>
      service.campaigns.setMirror({ ...seen, ownerId: live.seen.ownerId }, change(live.by)),
    );
    const kinds = (await Promise.all(calls)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal(['mirror-set', 'campaign-differs', 'campaign-differs']);
    const { rows } = await service.database.admin.query('select * from campaign_mirror.writes');
    expect(rows).to.deep.equal([{ access_key_id: String(live.keyId) }]);
  });

  it('a caller without a key writes none, and its mirror is set', async () => {
    const [live] = await service.live(1);
    const count = 'select count(*)::int, max(xmin::text::bigint)::text as last from campaign_mirror.key_uses';
    const before = (await service.database.admin.query(count)).rows;
    const by = { ownerId: live.seen.ownerId, subject: subject('jwt', 'somebody') as Subject };
    expect(await service.campaigns.setMirror(live.seen, change(by))).to.have.property('kind', 'mirror-set');
    expect((await service.database.admin.query(count)).rows).to.deep.equal(before);
  });
});
