import { createHash } from 'node:crypto';
import { type AccessKeyId, accessKey, type OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from './operator.ts';
import { type Check, newOwner } from './world.ts';

/** What every `AccessKeys` promises (decisions: keys). */
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
    name: 'issue: the name is kept as it is, whatever its characters',
    check: async (world) => {
      const name = '? $1 \'"\\ :x {0} \u00fc\u{1f389}';
      const { id } = await world.accessKeys.issue({ owner: newOwner(), name: named(name) });
      const stored = await world.others.storedKey(id);
      expect(stored.includes(name) || stored.includes(JSON.stringify(name))).to.equal(true, stored);
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
    name: 'revoke: twice is the same as once',
    check: async (world) => {
      const { id } = await world.accessKeys.issue({ owner: newOwner(), name: named('revoked') });
      expect(await world.accessKeys.revoke(id)).to.equal(true);
      const stored = await world.others.storedKey(id);
      expect(await world.accessKeys.revoke(id)).to.equal(true);
      expect(await world.others.storedKey(id)).to.equal(stored);
    },
  },
  {
    name: 'revoke: false for a key that there is not',
    check: async (world) => {
      expect(await world.accessKeys.revoke(Number.MAX_SAFE_INTEGER as AccessKeyId)).to.equal(false);
    },
  },
];
