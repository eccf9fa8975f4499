import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { newOwner } from '../contracts/live-campaign.ts';
import { accessKey, displayedPart } from '../values/access-key.ts';
import type { AccessKeyId, OwnerId } from '../values/identifiers.ts';
import { expectLife, hour, named, nowhere, onlyKey } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** Issuing, listing and revoking (contract: keys). */
export const accessKeysCases: readonly Case<StoreWorld>[] = [
  {
    name: 'issue: a well-formed key, another each time',
    run: async (world) => {
      const owner = newOwner();
      const issued = [];
      for (let time = 0; time < 5; time++)
        issued.push(await world.accessKeys.issue({ owner, name: named('same') }));
      for (const { key } of issued) expectEqual(accessKey(key), key);
      expectEqual(new Set(issued.map(({ key }) => key)).size, 5, 'the number of keys');
      expectEqual(new Set(issued.map(({ id }) => id)).size, 5, 'the number of identifiers');
    },
  },
  {
    name: 'issue: of the key only its SHA-256 is kept, and what is displayed',
    run: async (world) => {
      const { id, key } = await world.accessKeys.issue({ owner: newOwner(), name: named('partner') });
      const stored = await world.others.storedKey(id);
      for (const kept of [world.others.sha256(key), 'partner'])
        expectThat(stored.includes(kept), `'${kept}' is stored: ${stored}`);
      for (const secret of [key.slice(0, 11), key.slice(10, 20), key.slice(-8)])
        expectThat(!stored.includes(secret), `a part of the key is not stored: ${secret}`);
    },
  },
  {
    name: 'issue: an owner may be as great as 2^53-1',
    run: async (world) => {
      const owner = Number.MAX_SAFE_INTEGER as OwnerId;
      const { key } = await world.accessKeys.issue({ owner, name: named('greatest') });
      expectFields(await world.identity.whoIs(key), { ownerId: owner });
    },
  },
  {
    name: 'revoke: twice is the same as once; a key that does not exist is not revoked',
    run: async (world) => {
      const { id } = await world.accessKeys.issue({ owner: newOwner(), name: named('revoked') });
      expectEqual(await world.accessKeys.revoke(id), true);
      const stored = await world.others.storedKey(id);
      expectEqual(await world.accessKeys.revoke(id), true);
      expectEqual(await world.others.storedKey(id), stored);
      expectEqual(await world.accessKeys.revoke(nowhere), false);
    },
  },
  {
    name: 'list: all that is kept of a key but its SHA-256; the name as it is, whatever its characters',
    run: async (world) => {
      const owner = newOwner();
      const name = named('? $1 \'"\\ :x {0} \u00fc\u{1f389}');
      const before = await world.others.clock();
      const { id, key } = await world.accessKeys.issue({ owner, name, expiresIn: hour });
      const record = await onlyKey(world, owner);
      expectEqual(record, {
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
      expectAscending([before, record.createdAt, await world.others.clock()]);
      expectLife(record, hour, 600);
    },
  },
  {
    name: 'list: by pages in ascending order, of one owner or of all',
    run: async (world) => {
      const owner = newOwner();
      const ids: AccessKeyId[] = [];
      for (let made = 0; made < 5; made++) {
        ids.push((await world.accessKeys.issue({ owner, name: named('page') })).id);
        await world.accessKeys.issue({ owner: newOwner(), name: named("another's") });
      }
      const page = async (after?: AccessKeyId) =>
        (await world.accessKeys.list({ owner, limit: 2, ...(after && { after }) })).map(({ id }) => id);
      expectEqual(await page(), ids.slice(0, 2));
      expectEqual(await page(ids[1]), ids.slice(2, 4));
      expectEqual(await page(ids[3]), ids.slice(4));
      expectEqual(await page(ids[4]), []);
      const [first = 0 as AccessKeyId, second = 0] = ids;
      const [next] = await world.accessKeys.list({ after: first, limit: 1 });
      expectThat(next !== undefined && next.ownerId !== owner, "another owner's key among those of all");
      expectThat(next.id > first && next.id < second, `a key between ${first} and ${second}: ${next.id}`);
    },
  },
  {
    name: 'list: when a key was last used, and when it was revoked',
    run: async (world) => {
      const owner = newOwner();
      const { id, key } = await world.accessKeys.issue({ owner, name: named('used') });
      await world.identity.whoIs(key);
      await world.others.usesAreWritten();
      await world.accessKeys.revoke(id);
      const { createdAt, lastUsedAt, revokedAt } = await onlyKey(world, owner);
      expectThat(lastUsedAt !== null && revokedAt !== null, 'both times');
      expectAscending([createdAt, lastUsedAt, revokedAt, await world.others.clock()]);
    },
  },
  {
    name: 'issue: a key expires in a year unless it was given another life, or none',
    run: async (world) => {
      const owner = newOwner();
      await world.accessKeys.issue({ owner, name: named('usual') });
      await world.accessKeys.issue({ owner, name: named('for ever'), expiresIn: 'never' });
      const [usual, forEver] = await world.accessKeys.list({ owner, limit: 3 });
      expectLife(usual, 365 * 24 * hour, 1);
      expectEqual(forEver?.expiresAt, null);
    },
  },
];
