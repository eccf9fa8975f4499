import { createHash } from 'node:crypto';
import {
  type AccessKeyId,
  type AccessKeyRecord,
  accessKey,
  displayedPart,
  type KeyRotation,
  keySubject,
  type OwnerId,
  type Timestamp,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { type Check, newOwner, type World } from '../support/store/world.ts';

/** In seconds. */
const hour = 3_600;

/** What every `AccessKeys` promises (contract: keys). */
export const accessKeysContract: readonly Check[] = [
  {
    name: 'issue: a well-formed key, another each time',
    check: async (world) => {
      const owner = newOwner();
      const issued = [];
      for (let time = 0; time < 5; time++)
        issued.push(await world.accessKeys.issue({ owner, name: named('same') }));
      for (const { key } of issued) expect(accessKey(key)).to.equal(key);
      expect(new Set(issued.map(({ key }) => key)).size).to.equal(5);
      expect(new Set(issued.map(({ id }) => id)).size).to.equal(5);
    },
  },
  {
    name: 'issue: of the key only its SHA-256 is kept, and what is displayed',
    check: async (world) => {
      const { id, key } = await world.accessKeys.issue({ owner: newOwner(), name: named('partner') });
      const stored = await world.others.storedKey(id);
      expect(stored).to.include(createHash('sha256').update(key).digest('hex')).and.to.include('partner');
      expect(stored).not.to.include(key.slice(0, 11));
      expect(stored).not.to.include(key.slice(10, 20));
      expect(stored).not.to.include(key.slice(-8));
    },
  },
  {
    name: 'issue: an owner may be as great as 2^53-1',
    check: async (world) => {
      const owner = Number.MAX_SAFE_INTEGER as OwnerId;
      const { key } = await world.accessKeys.issue({ owner, name: named('greatest') });
      expect(await world.identity.whoIs(key)).to.include({ ownerId: owner });
    },
  },
  {
    name: 'revoke: twice is the same as once; a key that there is not is not revoked',
    check: async (world) => {
      const { id } = await world.accessKeys.issue({ owner: newOwner(), name: named('revoked') });
      expect(await world.accessKeys.revoke(id)).to.equal(true);
      const stored = await world.others.storedKey(id);
      expect(await world.accessKeys.revoke(id)).to.equal(true);
      expect(await world.others.storedKey(id)).to.equal(stored);
      expect(await world.accessKeys.revoke(Number.MAX_SAFE_INTEGER as AccessKeyId)).to.equal(false);
    },
  },
  {
    name: 'list: all that is kept of a key but its SHA-256, the name as it is, whatever its characters',
    check: async (world) => {
      const owner = newOwner();
      const name = named('? $1 \'"\\ :x {0} \u00fc\u{1f389}');
      const before = await world.others.clock();
      const { id, key } = await world.accessKeys.issue({ owner, name, expiresIn: hour });
      const record = await only(world, owner);
      expect(record).to.deep.equal({
        id,
        displayed: displayedPart(key),
        name,
        ownerId: owner,
        createdAt: record.createdAt,
        expiresAt: record.expiresAt,
        lastUsedAt: null,
        revokedAt: null,
        replacedBy: null,
      });
      expect(record.createdAt >= before && record.createdAt <= (await world.others.clock())).to.equal(true);
      expect(lifeOf(record)).to.be.within(hour - 1, hour + 600);
    },
  },
  {
    name: 'list: by pages in ascending order, of one owner or of all',
    check: async (world) => {
      const owner = newOwner();
      const ids: AccessKeyId[] = [];
      for (let made = 0; made < 5; made++) {
        ids.push((await world.accessKeys.issue({ owner, name: named('page') })).id);
        await world.accessKeys.issue({ owner: newOwner(), name: named("another's") });
      }
      const page = async (after?: AccessKeyId) =>
        (await world.accessKeys.list({ owner, limit: 2, ...(after && { after }) })).map(({ id }) => id);
      expect(await page()).to.deep.equal(ids.slice(0, 2));
      expect(await page(ids[1])).to.deep.equal(ids.slice(2, 4));
      expect(await page(ids[3])).to.deep.equal(ids.slice(4));
      expect(await page(ids[4])).to.deep.equal([]);
      const [first = 0 as AccessKeyId, second] = ids;
      const [next] = await world.accessKeys.list({ after: first, limit: 1 });
      expect(next?.ownerId, 'all owners').not.to.equal(owner);
      expect(next?.id).to.be.within(first + 1, (second ?? 0) - 1);
    },
  },
  {
    name: 'list: when a key was last used, and when it was revoked',
    check: async (world) => {
      const owner = newOwner();
      const { id, key } = await world.accessKeys.issue({ owner, name: named('used') });
      await world.identity.whoIs(key);
      await world.others.usesAreWritten();
      await world.accessKeys.revoke(id);
      const { createdAt, lastUsedAt, revokedAt } = await only(world, owner);
      const times = [createdAt, lastUsedAt, revokedAt, await world.others.clock()];
      expect(times).not.to.include(null);
      expect(times).to.deep.equal([...times].sort());
    },
  },
  {
    name: 'issue: a key expires in a year unless it was given another life, or none',
    check: async (world) => {
      const owner = newOwner();
      await world.accessKeys.issue({ owner, name: named('usual') });
      await world.accessKeys.issue({ owner, name: named('for ever'), expiresIn: 'never' });
      const [usual, forEver] = await world.accessKeys.list({ owner, limit: 3 });
      const year = 365 * 24 * hour;
      expect(usual && lifeOf(usual)).to.be.within(year - 1, year + 1);
      expect(forEver?.expiresAt).to.equal(null);
    },
  },
  {
    name: 'rotate: a new key of the same owner, name and life; the old one works until its grace is over',
    check: async (world) => {
      const owner = newOwner();
      const old = await world.accessKeys.issue({ owner, name: named('rotated'), expiresIn: 5 * hour });
      const next = rotated(await world.accessKeys.rotate(old.id, { grace: hour }));
      expect(next.key).to.equal(accessKey(next.key)).and.not.to.equal(old.key);
      expect(next.ownerId).to.equal(owner);
      expect(await world.identity.whoIs(next.key)).to.deep.equal({
        ownerId: owner,
        subject: keySubject(next.id),
      });
      expect(await world.identity.whoIs(old.key)).to.deep.equal({
        ownerId: owner,
        subject: keySubject(old.id),
      });

      const [was, is] = await world.accessKeys.list({ owner, limit: 3 });
      if (!was || !is) throw new Error('two keys are expected');
      expect(was).to.include({ id: old.id, replacedBy: next.id, expiresAt: next.oldExpiresAt });
      expect(is).to.include({ id: next.id, name: 'rotated', displayed: displayedPart(next.key) });
      expect(is?.replacedBy).to.equal(null);
      expect(lifeOf(was), 'the grace, from now').to.be.within(hour - 1, hour + 600);
      expect(lifeOf(is), 'as the old one was given').to.be.within(5 * hour - 1, 5 * hour + 1);
    },
  },
  {
    name: 'rotate: a key that never expires has a successor that never does, and ends after the grace itself',
    check: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('for ever'), expiresIn: 'never' });
      await world.accessKeys.rotate(id, { grace: hour });
      const [was, is] = await world.accessKeys.list({ owner, limit: 3 });
      expect(was && lifeOf(was)).to.be.within(hour - 1, hour + 600);
      expect(is?.expiresAt).to.equal(null);
    },
  },
  {
    name: 'rotate: a key that would end before the grace does so',
    check: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('soon over'), expiresIn: hour });
      const { expiresAt } = await only(world, owner);
      const { oldExpiresAt } = rotated(await world.accessKeys.rotate(id, { grace: 24 * hour }));
      expect(oldExpiresAt).to.equal(expiresAt);
    },
  },
  {
    name: 'rotate: without grace the old key ends at once',
    check: async (world) => {
      const { id, key } = await world.accessKeys.issue({ owner: newOwner(), name: named('leaked') });
      const next = rotated(await world.accessKeys.rotate(id, { grace: 0 }));
      expect(await world.identity.whoIs(key)).to.equal(undefined);
      expect(await world.identity.whoIs(next.key)).to.include({ subject: keySubject(next.id) });
    },
  },
  {
    name: 'rotate: a key that is unknown, revoked or expired is refused, and nothing changes',
    check: async (world) => {
      const owner = newOwner();
      const rotate = (id: number) => world.accessKeys.rotate(id as AccessKeyId, { grace: hour });
      const revoked = await world.accessKeys.issue({ owner, name: named('revoked') });
      await world.accessKeys.revoke(revoked.id);
      const expired = await world.accessKeys.issue({ owner, name: named('expired'), expiresIn: hour });
      await world.others.expireKey(expired.id);
      const before = await world.accessKeys.list({ owner, limit: 9 });
      expect(await rotate(Number.MAX_SAFE_INTEGER)).to.deep.equal({ kind: 'key-not-found' });
      expect(await rotate(revoked.id)).to.deep.equal({ kind: 'key-revoked' });
      expect(await rotate(expired.id)).to.deep.equal({ kind: 'key-expired' });
      expect(await world.accessKeys.list({ owner, limit: 9 })).to.deep.equal(before);
    },
  },
  {
    name: 'rotate: the life is the same length, whatever clocks are changed meanwhile',
    check: async (world) => {
      const owner = newOwner();
      // From any day, one of these spans an odd number of changes to or from summer time.
      for (const days of [100, 200, 300]) {
        const expiresIn = days * 24 * hour;
        const { id } = await world.accessKeys.issue({ owner, name: named('spans'), expiresIn });
        await world.accessKeys.rotate(id, { grace: 0 });
        const next = (await world.accessKeys.list({ owner, limit: 9 })).at(-1) as AccessKeyRecord;
        expect(lifeOf(next)).to.be.within(expiresIn - 1, expiresIn + 1);
      }
    },
  },
  {
    name: 'rotate: several at once, or one more in the time of grace: one key takes its place, the rest hear which',
    check: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('raced'), expiresIn: hour });
      const rotate = () => world.accessKeys.rotate(id, { grace: hour });
      const answers = await Promise.all([rotate(), rotate(), rotate()]);
      const [made, ...others] = answers.filter((answer) => answer.kind === 'rotated');
      expect(others).to.deep.equal([]);
      const replaced = { kind: 'key-replaced', by: made?.id };
      expect(answers.filter((answer) => answer !== made)).to.deep.equal([replaced, replaced]);
      expect(await rotate()).to.deep.equal(replaced);
      expect(await world.accessKeys.list({ owner, limit: 9 })).to.have.length(2);
    },
  },
];

async function only(world: World, owner: OwnerId): Promise<AccessKeyRecord> {
  const [record, ...more] = await world.accessKeys.list({ owner, limit: 2 });
  if (!record || more.length > 0) throw new Error('one key is expected');
  return record;
}

function rotated(rotation: KeyRotation) {
  if (rotation.kind !== 'rotated') throw new Error(rotation.kind);
  return rotation;
}

/** In seconds. */
function lifeOf({ createdAt, expiresAt }: AccessKeyRecord): number {
  const seconds = (time: Timestamp | null) => (time === null ? Number.NaN : Date.parse(time) / 1000);
  return seconds(expiresAt) - seconds(createdAt);
}
