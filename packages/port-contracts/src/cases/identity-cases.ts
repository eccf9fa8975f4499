import type { Caller, HostList, Identity, OwnerId } from '@campaign-mirror/domain';
import { accessKeyOf, hostList, isCaller, partsOf, subject } from '@campaign-mirror/domain';
import { type Case, casesOf, expectEqual, expectThat } from '../kit/case.ts';
import { breaking, meanwhileCases, type Steps } from '../kit/meanwhile.ts';
import { greatest, newOwner } from './campaign-repository-world.ts';

/** What the author of an `Identity` provides for its cases: plain functions. */
export interface IdentityWorld {
  readonly identity: Identity;
  /**
   * Issues a credential of this owner that is valid for at least a minute. With `never`, it does not expire, and with `hosts`
   * it is for these only, if there are such credentials.
   */
  readonly issue: (
    owner: OwnerId,
    expires?: 'never' | undefined,
    hosts?: HostList | undefined,
  ) => Promise<IssuedCredential>;
  /** A well-formed credential that was never issued. */
  readonly unknown: () => string | Promise<string>;
  /** A credential that was expired when it was issued. */
  readonly issueExpired?: (owner: OwnerId) => Promise<string>;
  readonly expire?: (credential: string) => Promise<unknown>;
  readonly revoke?: (credential: string) => Promise<unknown>;
  /** Deletes the record of the credential. */
  readonly forget?: (credential: string) => Promise<unknown>;
  /** Present if `remembered` returns the callers that `whoIs` has identified; otherwise it may return undefined. */
  readonly remembers?: true;
  /** Absent if the adapter cannot be paused. */
  readonly steps?: Steps;
}

/** A valid credential, and the caller that it identifies. */
export interface IssuedCredential {
  readonly credential: string;
  readonly caller: Caller;
}

const hosts = hostList(['shop.example', '*.shop.example']) as HostList;

/** What every `Identity` promises (contract: keys). */
export const identityCases: readonly Case<IdentityWorld>[] = [
  ...casesOf<IdentityWorld>([], {
    'whoIs: the owner and the name that a credential was issued to, never the operator': async (world) => {
      const owner = newOwner();
      const issued = [await world.issue(owner), await world.issue(owner), await world.issue(greatest)];
      issued.push(await world.issue(owner, undefined, hosts));
      for (const { credential, caller } of issued) {
        expectEqual(await world.identity.whoIs(credential), caller, 'the caller');
        const { kind, name } = partsOf(caller.subject);
        const isNamed = accessKeyOf(caller.subject) ?? subject(kind, name ?? '');
        expectThat(isNamed, `neither the subject of an access key nor another kind: ${caller.subject}`);
        expectNoSecret(caller.subject, credential);
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
      await expectNobody(world, await world.unknown());
      // What a database finds it by that compares without case or as a pattern, trims or shortens.
      const alike = [credential.toLowerCase(), credential.toUpperCase(), '_'.repeat(credential.length)];
      const around = ['@ ', ' @', '@\n', '@\0', '@x', '@'.repeat(50)].map((text) =>
        text.replaceAll('@', credential),
      );
      const parts = [credential.slice(0, -1), `${credential.slice(0, 12)}%`];
      const none = ['', ' ', '.', 'a.b.c', '\u{1f389}', '%', '*', "' or '1'='1"];
      for (const text of [...alike, ...around, ...parts, ...none])
        if (text !== credential) await expectNobody(world, text);
    },
    'remembered: the caller, to be proven, or nobody; once found, as the world says': async (world) => {
      const { identity, issue, remembers } = world;
      const { credential, caller } = await issue(newOwner(), undefined, hosts);
      const other = await issue(newOwner());
      const toProve = { ...caller, toProve: true };
      const first = identity.remembered?.(credential);
      if (first !== undefined) expectEqual(first, toProve, 'the caller who was not found yet');
      await identity.whoIs(credential);
      await identity.whoIs(other.credential);
      const again = identity.remembered?.(credential);
      if (remembers || again !== undefined) expectEqual(again, toProve, 'the caller who was found');
      const isProven = again === undefined || accessKeyOf(again.subject) !== undefined;
      expectThat(isProven, 'a caller is remembered whom no write proves');
    },
  }),
  ...casesOf<IdentityWorld, 'issueExpired'>(['issueExpired'], {
    'nobody: a credential that was expired when it was issued': async (world) =>
      expectNobody(world, await world.issueExpired(newOwner())),
  }),
  ...(['expire', 'revoke', 'forget'] as const).flatMap(endCases),
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
      const whoIs = () =>
        world.identity.whoIs(credential).catch((error) => {
          expectNoSecret(String(error), credential);
          throw error;
        });
      await breaking(world.steps, whoIs, async (outcome) => {
        if (outcome !== 'unavailable') expectEqual(outcome.answer, caller, 'the caller, while away');
      });
    },
  }),
];

/** A case for the end of credentials: of those that expire later, and of those that never expire. */
function endCases(end: 'expire' | 'revoke' | 'forget'): readonly Case<IdentityWorld>[] {
  const name = `nobody: a credential from the moment of '${end}' on, while others stay as they are`;
  const run = async (world: IdentityWorld & Required<Pick<IdentityWorld, typeof end>>) => {
    const kept = await world.issue(newOwner(), 'never');
    for (const expires of [undefined, 'never'] as const) {
      const { credential, caller } = await world.issue(newOwner(), expires);
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
  const before = identity.remembered?.(credential);
  const identified = await identity.whoIs(credential);
  const after = identity.remembered?.(credential);
  expectNoSecret(JSON.stringify({ identified }), credential);
  for (const answer of [before, identified, after])
    expectThat(!isCaller(answer), 'a credential was accepted that is not valid');
}

/** Logs show subjects, reasons and errors. A text of a few characters can be a part of any of them. */
function expectNoSecret(shown: string, credential: string): void {
  const isShown = credential.length > 10 && shown.includes(credential);
  expectThat(!isShown, 'a subject, a reason or an error has the credential in it');
}
