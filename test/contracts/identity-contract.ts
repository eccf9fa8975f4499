import { accessKeyBytes, accessKeyFrom, keySubject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { type Check, newOwner, type World } from '../support/store/world.ts';

/** In seconds. */
const hour = 3600;

/** What every `Identity` promises (contract: keys). */
export const identityContract: readonly Check[] = [
  {
    name: 'whoIs: the owner that the key was issued to, and which key it is',
    check: async (world) => {
      const first = await issued(world);
      const second = await world.accessKeys.issue({ owner: first.owner, name: named('second') });
      expect(await world.identity.whoIs(first.key)).to.deep.equal({
        ownerId: first.owner,
        subject: keySubject(first.id),
      });
      expect(await world.identity.whoIs(second.key)).to.deep.equal({
        ownerId: first.owner,
        subject: keySubject(second.id),
      });
    },
  },
  {
    name: 'whoIs: nobody for a well-formed key that was never issued',
    check: async (world) => {
      await issued(world);
      expect(await world.identity.whoIs(accessKeyFrom(new Uint8Array(accessKeyBytes)))).to.equal(undefined);
    },
  },
  {
    name: 'whoIs: a key that expires later works until then, and not from that moment on',
    check: async (world) => {
      const { id, key, owner } = await issued(world, hour);
      expect(await world.identity.whoIs(key)).to.include({ ownerId: owner });
      await world.others.expireKey(id);
      expect(await world.identity.whoIs(key)).to.equal(undefined);
    },
  },
  {
    name: 'whoIs: a key that was issued for no time at all is expired',
    check: async (world) => {
      const { key } = await issued(world, 0);
      expect(await world.identity.whoIs(key)).to.equal(undefined);
    },
  },
  {
    name: 'whoIs: nobody for a revoked key, at once, whether it expires later or never',
    check: async (world) => {
      const kept = await issued(world);
      for (const expiresIn of [hour, 'never'] as const) {
        const { id, key } = await issued(world, expiresIn);
        expect(await world.identity.whoIs(key)).to.include({ subject: keySubject(id) });
        await world.accessKeys.revoke(id);
        expect(await world.identity.whoIs(key)).to.equal(undefined);
      }
      expect(await world.identity.whoIs(kept.key)).to.include({ subject: keySubject(kept.id) });
    },
  },
  {
    name: 'whoIs: nobody for a key that is deleted',
    check: async (world) => {
      const { id, key } = await issued(world);
      await world.others.deleteKey(id);
      expect(await world.identity.whoIs(key)).to.equal(undefined);
    },
  },
  {
    name: 'claimedBy: whom the key belongs to, once that was found',
    check: async (world) => {
      const { id, key, owner } = await issued(world);
      const other = await issued(world);
      await world.identity.whoIs(key);
      await world.identity.whoIs(other.key);
      expect(await world.identity.claimedBy(key)).to.deep.equal({ ownerId: owner, subject: keySubject(id) });
    },
  },
  {
    name: 'claimedBy: nobody any more, once the key was found to be invalid',
    check: async (world) => {
      const { id, key } = await issued(world);
      await world.identity.whoIs(key);
      await world.accessKeys.revoke(id);
      await world.identity.whoIs(key);
      expect(await world.identity.claimedBy(key)).to.equal(undefined);
    },
  },
  {
    name: 'claimedBy: nobody for a well-formed key that was never issued',
    check: async (world) => {
      const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
      await world.identity.whoIs(key);
      expect(await world.identity.claimedBy(key)).to.equal(undefined);
    },
  },
];

async function issued(world: World, expiresIn: number | 'never' = 'never') {
  const owner = newOwner();
  return { owner, ...(await world.accessKeys.issue({ owner, name: named('key'), expiresIn })) };
}
