import { setImmediate as turn } from 'node:timers/promises';
import {
  type Caller,
  type Identified,
  type Identity,
  isCaller,
  operatorSubject,
  Unavailable,
} from '@campaign-mirror/domain';
import type { IdentityWorld } from '@campaign-mirror/port-contracts';
import { newOwner, withoutKey } from '../../packages/port-contracts/src/cases/live-campaign.ts';
import { inMemoryWorlds } from '../support/store/in-memory-world.ts';

interface Breakage {
  readonly name: string;
  readonly broken: (right: IdentityWorld) => IdentityWorld;
}

/** A right identity that pauses before it looks at its store, and after it. */
export function pausedIdentity(): IdentityWorld {
  const { identity: right, ...world } = inMemoryWorlds().identity;
  let ahead: ((step: number) => Promise<'go on' | 'break'>) | undefined;
  let step = -1;
  const pause = async () => {
    await turn();
    step += 1;
    if ((await ahead?.(step)) === 'break') throw new Error('read ECONNRESET');
  };
  return {
    ...world,
    identity: {
      claimedBy: (credential) => right.claimedBy(credential),
      whoIs: async (credential) => {
        try {
          await pause();
          const caller = await right.whoIs(credential);
          await pause();
          return caller;
        } catch (cause) {
          throw new Unavailable('the store went away', { cause });
        }
      },
    },
    steps: async (call, before) => {
      [step, ahead] = [-1, before];
      return call().finally(() => {
        ahead = undefined;
      });
    },
  };
}

/** Breaks a right identity, to show that the cases notice it: each case fails at least one of these. */
export const brokenIdentities: readonly Breakage[] = [
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
    broken: (right) => identifying(right, { whoIs: remembered(right) }),
  },
  {
    name: 'never forgets a claim',
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
  {
    name: 'joins a look-up that is under way',
    broken: (right) => {
      const looking = new Map<string, Promise<Identified>>();
      const whoIs = async (credential: string) => {
        const look = looking.get(credential) ?? right.identity.whoIs(credential);
        looking.set(credential, look);
        return look.finally(() => looking.delete(credential));
      };
      return identifying(right, { whoIs });
    },
  },
  {
    name: 'shares its state between calls',
    broken: (right) => {
      let last = '';
      const whoIs = async (credential: string) => {
        last = credential;
        await turn();
        return right.identity.whoIs(last);
      };
      return identifying(right, { whoIs });
    },
  },
  {
    name: 'throws what the driver throws',
    broken: (right) => {
      const whoIs = (credential: string) =>
        right.identity.whoIs(credential).catch(({ cause }) => Promise.reject(cause));
      return identifying(right, { whoIs });
    },
  },
  {
    name: 'knows nobody while the store is away',
    broken: (right) => {
      const whoIs = (credential: string) => right.identity.whoIs(credential).catch(() => undefined);
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
