import { type Identified, isCaller } from '../set-campaign-mirror/identity.ts';
import { operatorSubject, partsOf } from '../values/subject.ts';
import { type Case, part } from './case.ts';
import { expectEqual, expectThat } from './expectations.ts';
import type { IdentityWorld } from './identity-world.ts';
import { newOwner } from './live-campaign.ts';

function expectNobody(identified: Identified, who = 'the caller'): void {
  expectThat(!isCaller(identified), `nobody: ${who}`);
}

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
      const { kind, name } = partsOf(isCaller(caller) ? caller.subject : operatorSubject);
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
      expectNobody(await world.identity.whoIs(await world.unknown()));
    },
  },
  {
    name: 'whoIs, claimedBy: nobody for a text that is no credential',
    run: async ({ identity, issue }) => {
      const { credential } = await issue(newOwner());
      await identity.whoIs(credential);
      const texts = ['', ' ', '.', 'a.b.c', '\u{1f389}', credential.slice(0, -1)];
      for (const text of [...texts, credential.repeat(50)]) {
        expectNobody(await identity.claimedBy(text), `the claim of '${text}'`);
        expectNobody(await identity.whoIs(text), `the caller by '${text}'`);
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
      expectNobody(await world.identity.whoIs(credential));
    },
  },
  {
    name: 'whoIs: nobody for a credential that was expired when it was issued',
    needs: 'issueExpired',
    run: async (world) => {
      const credential = await part(world, 'issueExpired')(newOwner());
      expectNobody(await world.identity.whoIs(credential));
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
        expectNobody(await world.identity.whoIs(credential));
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
      expectNobody(await world.identity.whoIs(credential));
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
      for (const claim of claims) if (claim !== undefined) expectEqual(claim, caller);
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
      expectNobody(await world.identity.claimedBy(credential));
    },
  },
  {
    name: 'claimedBy: nobody for a well-formed credential that was never issued',
    run: async ({ identity, unknown }) => {
      const credential = await unknown();
      expectNobody(await identity.claimedBy(credential), 'before it was looked up');
      await identity.whoIs(credential);
      expectNobody(await identity.claimedBy(credential), 'after it was looked up');
    },
  },
];
