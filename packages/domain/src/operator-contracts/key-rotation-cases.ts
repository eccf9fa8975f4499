import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { newOwner } from '../contracts/live-campaign.ts';
import type { KeyRotation } from '../operator/access-keys.ts';
import { accessKey, displayedPart } from '../values/access-key.ts';
import type { AccessKeyId } from '../values/identifiers.ts';
import { keySubject } from '../values/subject.ts';
import { expectLife, hour, named, nowhere, onlyKey } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** contract: keys. */
export const keyRotationCases: readonly Case<StoreWorld>[] = [
  {
    name: 'rotate: a new key of the same owner, name and life; the old one works until its grace is over',
    run: async (world) => {
      const owner = newOwner();
      const old = await world.accessKeys.issue({ owner, name: named('rotated'), expiresIn: 5 * hour });
      const next = rotated(await world.accessKeys.rotate(old.id, { grace: hour }));
      expectEqual(accessKey(next.key), next.key);
      expectThat(next.key !== old.key, 'another key');
      expectEqual(next.ownerId, owner);
      for (const { id, key } of [old, next])
        expectEqual(await world.identity.whoIs(key), { ownerId: owner, subject: keySubject(id) });

      const [was, is] = await world.accessKeys.list({ owner, limit: 3 });
      expectFields(was, { id: old.id, replacedBy: next.id, expiresAt: next.oldExpiresAt });
      expectFields(is, {
        id: next.id,
        name: 'rotated',
        displayed: displayedPart(next.key),
        replacedBy: null,
      });
      // The grace is from now on.
      expectLife(was, hour, 600);
      expectLife(is, 5 * hour, 1);
    },
  },
  {
    name: 'rotate: a key that never expires has a successor that never does, and ends after the grace itself',
    run: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('for ever'), expiresIn: 'never' });
      await world.accessKeys.rotate(id, { grace: hour });
      const [was, is] = await world.accessKeys.list({ owner, limit: 3 });
      expectLife(was, hour, 600);
      expectEqual(is?.expiresAt, null);
    },
  },
  {
    name: 'rotate: a key that would end before the grace does so',
    run: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('soon over'), expiresIn: hour });
      const { expiresAt } = await onlyKey(world, owner);
      const { oldExpiresAt } = rotated(await world.accessKeys.rotate(id, { grace: 24 * hour }));
      expectEqual(oldExpiresAt, expiresAt);
    },
  },
  {
    name: 'rotate: without grace the old key ends at once',
    run: async (world) => {
      const { id, key } = await world.accessKeys.issue({ owner: newOwner(), name: named('leaked') });
      const next = rotated(await world.accessKeys.rotate(id, { grace: 0 }));
      expectEqual(await world.identity.whoIs(key), undefined);
      expectFields(await world.identity.whoIs(next.key), { subject: keySubject(next.id) });
    },
  },
  {
    name: 'rotate: a key that is unknown, revoked or expired is refused, and nothing changes',
    run: async (world) => {
      const owner = newOwner();
      const rotate = (id: AccessKeyId) => world.accessKeys.rotate(id, { grace: hour });
      const revoked = await world.accessKeys.issue({ owner, name: named('revoked') });
      await world.accessKeys.revoke(revoked.id);
      const expired = await world.accessKeys.issue({ owner, name: named('expired'), expiresIn: hour });
      await world.others.expireKey(expired.id);
      const before = await world.accessKeys.list({ owner, limit: 9 });
      expectEqual(await rotate(nowhere), { kind: 'key-not-found' });
      expectEqual(await rotate(revoked.id), { kind: 'key-revoked' });
      expectEqual(await rotate(expired.id), { kind: 'key-expired' });
      expectEqual(await world.accessKeys.list({ owner, limit: 9 }), before);
    },
  },
  {
    name: 'rotate: the life is the same length, whatever clocks are changed meanwhile',
    run: async (world) => {
      const owner = newOwner();
      // From any day, one of these spans an odd number of changes to or from summer time.
      for (const days of [100, 200, 300]) {
        const expiresIn = days * 24 * hour;
        const { id } = await world.accessKeys.issue({ owner, name: named('spans'), expiresIn });
        await world.accessKeys.rotate(id, { grace: 0 });
        expectLife((await world.accessKeys.list({ owner, limit: 9 })).at(-1), expiresIn, 1);
      }
    },
  },
  {
    name: 'rotate: several at once, or once more in the grace: one key replaces it, the others are told which',
    run: async (world) => {
      const owner = newOwner();
      const { id } = await world.accessKeys.issue({ owner, name: named('raced'), expiresIn: hour });
      const rotate = () => world.accessKeys.rotate(id, { grace: hour });
      const answers = await Promise.all([rotate(), rotate(), rotate()]);
      const [made, ...others] = answers.filter((answer) => answer.kind === 'rotated');
      expectEqual(others, []);
      const replaced = { kind: 'key-replaced', by: made?.id };
      expectEqual(
        answers.filter((answer) => answer !== made),
        [replaced, replaced],
      );
      expectEqual(await rotate(), replaced);
      expectEqual((await world.accessKeys.list({ owner, limit: 9 })).length, 2, 'the number of keys');
    },
  },
];

function rotated(rotation: KeyRotation): KeyRotation & { readonly kind: 'rotated' } {
  expectThat(rotation.kind === 'rotated', `a rotation, not ${rotation.kind}`);
  return rotation;
}
