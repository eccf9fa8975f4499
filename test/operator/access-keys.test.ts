import { createHash } from 'node:crypto';
import { type AccessKeyId, type AccessKeyRecord, keySubject, type OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import { named } from '../support/store/operator.ts';
import { newOwner } from '../support/store/world.ts';

/** In seconds. */
const hour = 3_600;

describe("the operator's access keys (contract: keys)", () => {
  const world = worldOf('suite');
  const issue = (owner: OwnerId, expiresIn: number | 'never' = hour) =>
    world.accessKeys.issue({ owner, name: named('tests'), expiresIn });
  const stored = async (id: AccessKeyId) => {
    const { rows } = await world.database.admin.query(
      "select encode(hash, 'hex') || ' ' || to_json(k) as stored from campaign_mirror.access_keys k where id = $1",
      [id],
    );
    return rows[0].stored as string;
  };
  const listed = (owner: OwnerId) => world.accessKeys.list({ owner, limit: 9 });
  const life = ({ createdAt, expiresAt }: AccessKeyRecord) =>
    (Date.parse(expiresAt ?? '') - Date.parse(createdAt)) / 1_000;
  const rotate = async (id: AccessKeyId, grace: number) => {
    const rotation = await world.accessKeys.rotate(id, { grace });
    return rotation.kind === 'rotated' ? rotation : expect.fail(rotation.kind);
  };

  it('of a key only its SHA-256 is kept, and what is displayed', async () => {
    const { id, key } = await issue(newOwner());
    const kept = await stored(id);
    expect(kept).to.include(createHash('sha256').update(key).digest('hex'));
    for (const secret of [key.slice(0, 11), key.slice(10, 20), key.slice(-8)])
      expect(kept).not.to.include(secret);
  });

  it('an owner may be as great as 2^53-1, and a name is kept as it is', async () => {
    const owner = Number.MAX_SAFE_INTEGER as OwnerId;
    const name = named('? $1 \'"\\ :x {0} \u00fc\u{1f389}');
    const { key } = await world.accessKeys.issue({ owner, name });
    expect(await world.identity.whoIs(key)).to.include({ ownerId: owner });
    expect((await listed(owner))[0]).to.include({ name, ownerId: owner });
  });

  it('revoked twice is the same as once', async () => {
    const { id } = await issue(newOwner());
    expect(await world.accessKeys.revoke(id)).to.equal(true);
    const once = await stored(id);
    expect(await world.accessKeys.revoke(id)).to.equal(true);
    expect(await stored(id)).to.equal(once);
  });

  it('rotated: a new key of the same owner, name and life; the old one works until its grace is over', async () => {
    const owner = newOwner();
    const old = await issue(owner, 5 * hour);
    const next = await rotate(old.id, hour);
    for (const { id, key } of [old, next])
      expect(await world.identity.whoIs(key)).to.deep.equal({ ownerId: owner, subject: keySubject(id) });
    const [was, is] = (await listed(owner)) as [AccessKeyRecord, AccessKeyRecord];
    expect(was).to.include({ replacedBy: next.id, expiresAt: next.oldExpiresAt });
    expect(life(was)).to.be.within(hour, hour + 600);
    expect(is).to.include({ name: 'tests', replacedBy: null });
    expect(life(is)).to.be.within(5 * hour - 1, 5 * hour + 1);
  });

  it('rotated: one that never expires has such a successor; one that would end before the grace does so', async () => {
    const [for_ever, soon] = [newOwner(), newOwner()];
    await rotate((await issue(for_ever, 'never')).id, hour);
    const [was, is] = (await listed(for_ever)) as [AccessKeyRecord, AccessKeyRecord];
    expect(life(was)).to.be.within(hour, hour + 600);
    expect(is.expiresAt).to.equal(null);

    const { id } = await issue(soon);
    const [{ expiresAt }] = (await listed(soon)) as [AccessKeyRecord];
    expect(await rotate(id, 24 * hour)).to.include({ oldExpiresAt: expiresAt });
  });

  it('rotated: the life is the same length, whatever clocks are changed meanwhile', async () => {
    const owner = newOwner();
    // From any day, one of these spans an odd number of changes to or from summer time.
    for (const days of [100, 200, 300]) {
      await rotate((await issue(owner, days * 24 * hour)).id, 0);
      expect(life((await listed(owner)).at(-1) as AccessKeyRecord)).to.be.within(
        days * 24 * hour - 1,
        days * 24 * hour + 1,
      );
    }
  });

  it('an expired key is not rotated, and nothing changes', async () => {
    const owner = newOwner();
    const { id } = await issue(owner);
    await world.others.expireKey(id);
    const before = await listed(owner);
    expect(await world.accessKeys.rotate(id, { grace: hour })).to.deep.equal({ kind: 'key-expired' });
    expect(await listed(owner)).to.deep.equal(before);
  });

  it('rotated several times at once, or once more in the grace: one key replaces it, which the others are told', async () => {
    const owner = newOwner();
    const { id } = await issue(owner);
    const again = () => world.accessKeys.rotate(id, { grace: hour });
    const answers = await Promise.all([again(), again(), again()]);
    const [made, ...more] = answers.filter((answer) => answer.kind === 'rotated');
    expect(more).to.deep.equal([]);
    const replaced = { kind: 'key-replaced', by: made?.id };
    expect(answers.filter((answer) => answer !== made)).to.deep.equal([replaced, replaced]);
    expect(await again()).to.deep.equal(replaced);
    expect(await listed(owner)).to.have.length(2);
  });
});
