import type { Caller, HostList, Identified, Identity, OwnerId } from '@campaign-mirror/domain';
import { hostList, isCaller } from '@campaign-mirror/domain';
import { type Case, casesOf, expectEqual, expectThat, expiry } from '../kit/case.ts';
import { breaking, meanwhile, type Steps } from '../kit/meanwhile.ts';
import { greatest, newOwner } from './repository-world.ts';

/** What an author of an `Identity` provides for its cases. */
export interface IdentityWorld {
  readonly identity: Identity;
  /** Issues a credential that is valid for at least a minute or, if supported, `expiresIn` seconds, for `hosts`. */
  issue(
    owner: OwnerId,
    expiresIn?: number,
    hosts?: HostList,
  ): Promise<{ credential: string; caller: Caller }>;
  /** A well-formed credential that was never issued. */
  unknown(): string | Promise<string>;
  /** Issues a credential that `unknown` has returned. */
  readonly issueUnknown?: (owner: OwnerId, credential: string) => Promise<unknown>;
  /** Present if credentials can expire. */
  readonly expires?: true;
  /** Revokes or deletes the credential. */
  readonly revoke?: (credential: string) => Promise<unknown>;
  /** Absent if the adapter has no steps. */
  readonly steps?: Steps;
}

type World = IdentityWorld;

/** The promises of every `Identity` (contract: keys). */
export const identityCases: readonly Case<World>[] = [
  ...casesOf<World>([], {
    'whoIs: owner, subject, key and hosts of each credential, also at the same time': async (world) => {
      const hosts = hostList.of('shop.example', '*.shop.example');
      const owners = [greatest, ...Array.from({ length: 9 }, newOwner)];
      const issued = await Promise.all(
        owners.map((owner, nth) => world.issue(owner, undefined, nth % 2 ? hosts : undefined)),
      );
      const found = await Promise.all(issued.map(({ credential }) => world.identity.whoIs(credential)));
      const callers = issued.map(({ caller }) => shown(caller));
      expectEqual(found.map(shown), callers, 'the result of calls at the same time');
      for (const { credential, caller } of issued) {
        await expectCaller(world, credential, caller);
        expectThat(!caller.subject.includes(credential), 'a subject has the credential in it');
      }
    },
    'nobody: a credential that was never issued, or a malformed text': async (world) => {
      const { credential, caller } = await world.issue(newOwner());
      await expectCaller(world, credential, caller);
      // A store may read a text as a pattern, shorten it, or treat other characters as the same.
      const wide = credential.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
      const parts = [credential.slice(0, -1), `${credential.slice(0, 12)}%`, '_'.repeat(credential.length)];
      const longer = [`${credential}x`, `${credential}\0`, credential.repeat(50)];
      const none = ['', ' ', '.', 'a.b.c', '\u{1f389}', '%', '*', "' or '1'='1", 'constructor', '__proto__'];
      for (const text of [await world.unknown(), wide, ...parts, ...longer, ...none])
        await expectNobody(world, text);
    },
  }),
  ...casesOf<World, 'issueUnknown'>(['issueUnknown'], {
    'whoIs: a credential that was looked up before it was issued': async (world) => {
      const [credential, owner] = [await world.unknown(), newOwner()];
      await expectNobody(world, credential);
      await world.issueUnknown(owner, credential);
      const found = await world.identity.whoIs(credential);
      expectThat(isCaller(found) && found.ownerId === owner, 'an unknown credential was remembered');
    },
  }),
  ...casesOf<World, 'expires'>(['expires'], {
    'nobody: a credential that has expired by itself': async (world) => {
      const { credential } = await world.issue(newOwner(), 1);
      await world.identity.whoIs(credential);
      await expiry();
      await expectNobody(world, credential);
    },
  }),
  ...casesOf<World, 'revoke'>(['revoke'], {
    'nobody: a credential after its revocation was committed; others stay valid': async (world) => {
      const kept = await world.issue(newOwner());
      await meanwhile(world, async (during) => {
        const { credential, caller } = await world.issue(newOwner());
        await expectCaller(world, credential, caller);
        const revoked = async () => {
          await world.revoke(credential);
          await expectNobody(world, credential);
        };
        await during(() => world.identity.whoIs(credential, { afresh: true }), revoked);
        await expectNobody(world, credential);
      });
      await expectCaller(world, kept.credential, kept.caller);
    },
  }),
  ...casesOf<World, 'steps'>(['steps'], {
    'away: Unavailable, and no other error or answer, when the store goes away': async (world) => {
      const { credential, caller } = await world.issue(newOwner());
      const whoIs = () =>
        world.identity.whoIs(credential, { afresh: true }).catch((error) => {
          expectThat(!String(error).includes(credential), 'an error has the credential in it');
          throw error;
        });
      await breaking(world.steps, whoIs, async (outcome) => {
        if (outcome !== 'unavailable')
          expectEqual(shown(outcome.answer), shown(caller), 'the caller, while away');
      });
    },
  }),
];

function shown(found: Identified) {
  if (!isCaller(found)) return undefined;
  const { ownerId, subject, key, hosts } = found;
  return { ownerId, subject, key, hosts };
}

async function expectCaller({ identity }: World, credential: string, caller: Caller): Promise<void> {
  for (const afresh of [false, true, false])
    expectEqual(shown(await identity.whoIs(credential, { afresh })), shown(caller), 'the caller');
}

/** A caller with a key may be cached until a lookup afresh, since the write proves the key. */
async function expectNobody({ identity }: World, credential: string): Promise<void> {
  const remembered = await identity.whoIs(credential);
  const isToProve = isCaller(remembered) && remembered.key !== undefined;
  const afresh = await identity.whoIs(credential, { afresh: true });
  const after = await identity.whoIs(credential);
  for (const found of isToProve ? [afresh, after] : [remembered, afresh, after]) {
    expectThat(!isCaller(found), 'an invalid credential was accepted');
    const isTold = credential.length > 10 && `${found?.refused} ${found?.subject}`.includes(credential);
    expectThat(!isTold, 'a reason or its subject has the credential in it');
  }
}
