import { operatorSubject, partsOf } from '../values/subject.ts';
import { type Case, part } from './case.ts';
import { expectEqual, expectThat } from './expectations.ts';
import type { IdentityWorld } from './identity-world.ts';
import { newOwner } from './live-campaign.ts';

/** What every `Identity` promises (contract: keys). */
export const identityCases: readonly Case<IdentityWorld>[] = [
  {
    name: 'whoIs: the owner that the credential was issued to, and which credential it is',
    run: async (world) => {
      const owner = newOwner();
      const issued = [await world.issue(owner), await world.issue(owner), await world.issue(newOwner())];
      for (const { credential, caller } of issued) {
        expectEqual(await world.identity.whoIs(credential), caller);
      }
      expectEqual(issued[1]?.caller.ownerId, owner);
    },
  },
  {
    name: 'whoIs: a subject with a name, which is never the operator',
    run: async (world) => {
      const { credential } = await world.issue(newOwner());
      const caller = await world.identity.whoIs(credential);
      const { kind, name } = partsOf(caller?.subject ?? operatorSubject);
      expectThat(
        kind !== operatorSubject && name !== undefined,
        "a subject with a name, which is not the operator's",
      );
    },
  },
  {
    name: 'whoIs: nobody for a well-formed credential that was never issued',
    run: async (world) => {
      await world.issue(newOwner());
      expectEqual(await world.identity.whoIs(await world.unknown()), undefined);
    },
  },
  {
    name: 'whoIs, claimedBy: nobody for a text that is no credential',
    run: async ({ identity, issue }) => {
      const { credential } = await issue(newOwner());
      await identity.whoIs(credential);
      const texts = ['', ' ', '.', 'a.b.c', '\u{1f389}', credential.slice(0, -1)];
      for (const text of [...texts, credential.repeat(50)]) {
        expectEqual(await identity.claimedBy(text), undefined, `the claim of '${text}'`);
        expectEqual(await identity.whoIs(text), undefined, `the caller by '${text}'`);
      }
    },
  },
  {
    name: 'whoIs: a credential that expires works until then, and not from that moment on',
    needs: 'expire',
    run: async (world) => {
      const { credential, caller } = await world.issue(newOwner());
      expectEqual(await world.identity.whoIs(credential), caller);
      await part(world, 'expire')(credential);
      expectEqual(await world.identity.whoIs(credential), undefined);
    },
  },
  {
    name: 'whoIs: nobody for a credential that was expired when it was issued',
    needs: 'issueExpired',
    run: async (world) => {
      const credential = await part(world, 'issueExpired')(newOwner());
      expectEqual(await world.identity.whoIs(credential), undefined);
    },
  },
  {
    name: 'whoIs: nobody for a revoked credential, at once, whether it expires later or never',
    needs: 'revoke',
    run: async (world) => {
      const kept = await world.issue(newOwner(), 'never');
      for (const expires of [[], ['never' as const]]) {
        const { credential, caller } = await world.issue(newOwner(), ...expires);
        expectEqual(await world.identity.whoIs(credential), caller);
        await part(world, 'revoke')(credential);
        expectEqual(await world.identity.whoIs(credential), undefined);
      }
      expectEqual(await world.identity.whoIs(kept.credential), kept.caller);
    },
  },
  {
    name: 'whoIs: nobody for a credential that is deleted',
    needs: 'forget',
    run: async (world) => {
      const { credential } = await world.issue(newOwner());
      await part(world, 'forget')(credential);
      expectEqual(await world.identity.whoIs(credential), undefined);
    },
  },
  {
    name: 'claimedBy: the caller or nobody, before and after the caller was found',
    run: async ({ identity, issue }) => {
      const [{ credential, caller }, other] = [await issue(newOwner()), await issue(newOwner())];
      const claims = [await identity.claimedBy(credential)];
      await identity.whoIs(credential);
      await identity.whoIs(other.credential);
      claims.push(await identity.claimedBy(credential));
      for (const claim of claims) if (claim) expectEqual(claim, caller);
    },
  },
  {
    name: 'claimedBy: the caller, once it was found',
    needs: 'claims',
    run: async ({ identity, issue }) => {
      const [{ credential, caller }, other] = [await issue(newOwner()), await issue(newOwner())];
      await identity.whoIs(credential);
      await identity.whoIs(other.credential);
      expectEqual(await identity.claimedBy(credential), caller);
    },
  },
  {
    name: 'claimedBy: nobody any more, once the credential was found to be invalid',
    needs: 'revoke',
    run: async (world) => {
      const { credential } = await world.issue(newOwner());
      await world.identity.whoIs(credential);
      await part(world, 'revoke')(credential);
      await world.identity.whoIs(credential);
      expectEqual(await world.identity.claimedBy(credential), undefined);
    },
  },
  {
    name: 'claimedBy: nobody for a well-formed credential that was never issued',
    run: async ({ identity, unknown }) => {
      const credential = await unknown();
      expectThat((await identity.claimedBy(credential)) === undefined, 'nobody, before it was looked up');
      await identity.whoIs(credential);
      expectThat((await identity.claimedBy(credential)) === undefined, 'nobody, after it was looked up');
    },
  },
];
