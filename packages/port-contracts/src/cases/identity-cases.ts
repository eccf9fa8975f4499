import type { Caller, Identity, OwnerId } from '@campaign-mirror/domain';
import { isCaller, operatorSubject, partsOf } from '@campaign-mirror/domain';
import { type Case, casesOf } from '../kit/case.ts';
import { expectEqual, expectThat } from '../kit/expectations.ts';
import { breaking, meanwhileCases, type Steps } from '../kit/meanwhile.ts';
import { newOwner } from './live-campaign.ts';

/** What the author of an `Identity` provides for its cases. Its parts are plain functions. */
export interface IdentityWorld {
  readonly identity: Identity;
  /**
   * A new credential of this owner that is valid for at least a minute, and whom it identifies. With `never`, one
   * that does not expire, if there are such credentials.
   */
  readonly issue: (owner: OwnerId, expires?: 'never') => Promise<IssuedCredential>;
  /** A well-formed credential that was never issued. */
  readonly unknown: () => string | Promise<string>;
  /** A credential that was expired when it was issued. */
  readonly issueExpired?: (owner: OwnerId) => Promise<string>;
  readonly expire?: (credential: string) => Promise<unknown>;
  readonly revoke?: (credential: string) => Promise<unknown>;
  /** Deletes the record of the credential. */
  readonly forget?: (credential: string) => Promise<unknown>;
  /** `claimedBy` knows the callers that `whoIs` found; without it, it may always be undefined. */
  readonly claims?: true;
  /** Left out where the adapter cannot be paused. */
  readonly steps?: Steps;
}

/** A credential that is valid, and whose it is. */
export interface IssuedCredential {
  readonly credential: string;
  readonly caller: Caller;
}

/** What every `Identity` promises (contract: keys). */
export const identityCases: readonly Case<IdentityWorld>[] = [
  ...casesOf<IdentityWorld>([], {
    'whoIs: the owner and the name that a credential was issued to, never the operator': async (world) => {
      const owner = newOwner();
      const issued = [await world.issue(owner), await world.issue(owner), await world.issue(newOwner())];
      for (const { credential, caller } of issued) {
        expectEqual(await world.identity.whoIs(credential), caller, 'the caller');
        const { kind, name } = partsOf(caller.subject);
        const isNamed = kind !== operatorSubject && name !== undefined;
        expectThat(isNamed, `a subject has a kind and a name, and is not the operator: ${caller.subject}`);
      }
      expectEqual(issued[1]?.caller.ownerId, owner, 'the owner');
    },
    'whoIs: calls at the same time are each answered for their own credential': async (world) => {
      const issued = await Promise.all(Array.from({ length: 10 }, () => world.issue(newOwner())));
      const found = await Promise.all(issued.map(({ credential }) => world.identity.whoIs(credential)));
      const callers = issued.map(({ caller }) => caller);
      expectEqual(found, callers, 'who was found by calls at the same time');
    },
    'nobody: a credential that was never issued, or a text that is none': async (world) => {
      const { credential } = await world.issue(newOwner());
      await world.identity.whoIs(credential);
      const texts = ['', ' ', '.', 'a.b.c', '\u{1f389}', credential.slice(0, -1), credential.repeat(50)];
      for (const text of [await world.unknown(), ...texts]) await expectNobody(world, text);
    },
    'claimedBy: the caller or nobody; the caller, once it was found, if the world says so': async (world) => {
      const { identity, issue, claims } = world;
      const [{ credential, caller }, other] = [await issue(newOwner()), await issue(newOwner())];
      const first = await identity.claimedBy(credential);
      if (first !== undefined) expectEqual(first, caller, 'the claim before the caller was found');
      await identity.whoIs(credential);
      await identity.whoIs(other.credential);
      const claim = await identity.claimedBy(credential);
      if (claims || claim !== undefined) expectEqual(claim, caller, 'the claim after the caller was found');
    },
  }),
  ...casesOf<IdentityWorld, 'issueExpired'>(['issueExpired'], {
    'nobody: a credential that was expired when it was issued': async (world) =>
      expectNobody(world, await world.issueExpired(newOwner())),
  }),
  ...(['expire', 'revoke', 'forget'] as const).flatMap(ends),
  ...meanwhileCases<IdentityWorld, 'revoke'>(
    ['revoke'],
    'a call that begins after a revocation finds nobody, whatever calls are under way',
    async (world) => async (meanwhile) => {
      const { credential } = await world.issue(newOwner());
      const revoked = async () => {
        await world.revoke(credential);
        const found = await world.identity.whoIs(credential);
        expectThat(!isCaller(found), 'a credential was accepted after its revocation was committed');
      };
      await meanwhile(() => world.identity.whoIs(credential), revoked);
    },
  ),
  ...casesOf<IdentityWorld, 'steps'>(['steps'], {
    'away: Unavailable, and no other error or answer, when the store goes away': async (world) => {
      const { credential, caller } = await world.issue(newOwner());
      await breaking(
        world.steps,
        () => world.identity.whoIs(credential),
        async (outcome) => {
          if (outcome !== 'unavailable') expectEqual(outcome.answer, caller, 'the caller, while away');
        },
      );
    },
  }),
];

/** Of credentials that expire later, and of those that never do. */
function ends(end: 'expire' | 'revoke' | 'forget'): readonly Case<IdentityWorld>[] {
  const name = `nobody: a credential from the moment of '${end}' on, while others stay as they are`;
  const run = async (world: IdentityWorld & Required<Pick<IdentityWorld, typeof end>>) => {
    const kept = await world.issue(newOwner(), 'never');
    for (const expires of [[], ['never' as const]]) {
      const { credential, caller } = await world.issue(newOwner(), ...expires);
      expectEqual(await world.identity.whoIs(credential), caller, 'the caller');
      await world[end](credential);
      await world.identity.whoIs(credential);
      await expectNobody(world, credential);
    }
    expectEqual(await world.identity.whoIs(kept.credential), kept.caller, 'the caller by another one');
  };
  return casesOf<IdentityWorld, typeof end>([end], { [name]: run });
}

async function expectNobody({ identity }: IdentityWorld, credential: string): Promise<void> {
  const [claim, found] = [await identity.claimedBy(credential), await identity.whoIs(credential)];
  for (const one of [claim, found, await identity.claimedBy(credential)])
    expectThat(!isCaller(one), 'a credential was accepted that is not valid');
}
