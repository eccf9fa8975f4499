import type { Caller } from '../set-campaign-mirror/caller.ts';
import { type Identified, type Identity, isCaller } from '../set-campaign-mirror/identity.ts';
import { operatorSubject } from '../values/subject.ts';
import type { Breakage } from './case.ts';
import type { IdentityWorld } from './identity-world.ts';
import { newOwner, withoutKey } from './live-campaign.ts';

/** Breaks a correct identity, to show that the cases notice it: each case fails at least one of these. */
export const brokenIdentities: readonly Breakage<IdentityWorld>[] = [
  {
    name: 'knows everybody',
    broken: (right) => {
      const anybody = { ownerId: newOwner(), subject: withoutKey };
      return identifying(right, {
        whoIs: async (credential) => {
          const caller = await right.identity.whoIs(credential);
          return isCaller(caller) ? caller : anybody;
        },
      });
    },
  },
  {
    name: 'passes callers off as the operator',
    broken: (right) => {
      const asOperator = (caller: Caller) => ({ ...caller, subject: operatorSubject });
      const whoIs = async (credential: string) => {
        const caller = await right.identity.whoIs(credential);
        return isCaller(caller) ? asOperator(caller) : caller;
      };
      const issue: IdentityWorld['issue'] = async (owner, expires) => {
        const { credential, caller } = await right.issue(owner, expires);
        return { credential, caller: asOperator(caller) };
      };
      return { ...identifying(right, { whoIs }), issue };
    },
  },
  {
    name: 'takes all for one',
    broken: (right) => {
      let one: Caller | undefined;
      const whoIs = async (credential: string) => {
        const caller = await right.identity.whoIs(credential);
        if (!isCaller(caller)) return caller;
        one ??= caller;
        return one;
      };
      return identifying(right, { whoIs });
    },
  },
  {
    name: 'never forgets a caller',
    needs: 'revoke',
    broken: (right) => identifying(right, { whoIs: remembered(right) }),
  },
  {
    name: 'never forgets a claim',
    needs: 'revoke',
    broken: (right) => {
      const remember = remembered(right);
      const whoIs = async (credential: string) => {
        await remember(credential);
        return right.identity.whoIs(credential);
      };
      const claimedBy = (credential: string) => remember(credential);
      return identifying(right, { whoIs, claimedBy });
    },
  },
  {
    name: 'confuses claims',
    broken: (right) => {
      let last: Identified;
      const whoIs = async (credential: string) => {
        const caller = await right.identity.whoIs(credential);
        last = caller ?? last;
        return caller;
      };
      return identifying(right, { whoIs, claimedBy: async () => last });
    },
  },
  {
    name: 'throws for what is unknown',
    broken: (right) => {
      const whoIs = async (credential: string) => {
        const caller = await right.identity.whoIs(credential);
        if (!isCaller(caller)) throw new TypeError('unknown');
        return caller;
      };
      return identifying(right, { whoIs });
    },
  },
];

function identifying(right: IdentityWorld, wrong: Partial<Identity>): IdentityWorld {
  const { identity } = right;
  const kept: Identity = {
    claimedBy: (credential) => identity.claimedBy(credential),
    whoIs: (credential) => identity.whoIs(credential),
  };
  return { ...right, identity: { ...kept, ...wrong } };
}

/** Whom `whoIs` found first, ever after. */
function remembered({ identity }: IdentityWorld): Identity['whoIs'] {
  const callers = new Map<string, Caller>();
  return async (credential) => {
    const caller = callers.get(credential) ?? (await identity.whoIs(credential));
    if (isCaller(caller)) callers.set(credential, caller);
    return caller;
  };
}
