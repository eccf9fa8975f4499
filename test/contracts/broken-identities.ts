import { setImmediate as turn } from 'node:timers/promises';
import type { Caller, Identified, Identity, Subject } from '@campaign-mirror/domain';
import { isCaller, operatorSubject, Unavailable } from '@campaign-mirror/domain';
import type { IdentityWorld } from '@campaign-mirror/port-contracts';
import { newOwner, withoutKey } from '../../packages/port-contracts/src/cases/campaign-repository-world.ts';
import { inMemoryWorlds, stepping } from '../support/store/judged-store.ts';

/** The world of an identity that pauses before it looks at its store, and after it. */
export function pausedIdentity(breakage: Breakage = () => ({})): IdentityWorld {
  const { identity: right, ...world } = inMemoryWorlds().identity;
  const { steps, breaks } = stepping();
  const pause = async () => {
    await turn();
    if (await breaks()) throw new Error('read ECONNRESET');
  };
  const identity: Identity = {
    remembered: (credential) => right.remembered?.(credential),
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
  };
  const { issue = world.issue, ...wrong } = breakage({ ...world, ...identity });
  return { ...world, steps, issue, identity: { ...identity, ...wrong } };
}

type Parts = Identity & Pick<IdentityWorld, 'issue'>;
type Breakage = (right: Parts) => Partial<Parts>;

/** An identity that answers this instead of what it found. */
const answering = (instead: (found: Identified) => Identified) => (right: Parts) => ({
  whoIs: async (credential: string) => instead(await right.whoIs(credential)),
});

const anybody = { ownerId: newOwner(), subject: withoutKey };

/** Mistakes of an identity, to show that the cases notice them: each case fails for at least one of these. */
export const brokenIdentities: Readonly<Record<string, Breakage>> = {
  'knows everybody': answering((found) => (isCaller(found) ? found : anybody)),
  'passes callers off as the operator': (right) => named(right, () => operatorSubject),
  'cuts numbers of owners to 32 bits': answering((found) =>
    isCaller(found) ? { ...found, ownerId: (found.ownerId % 2 ** 32) as Caller['ownerId'] } : found,
  ),
  'takes all for one': (right) => {
    let one: Caller | undefined;
    return answering((found) => {
      if (isCaller(found)) one ??= found;
      return isCaller(found) ? one : found;
    })(right);
  },
  'never forgets a caller': (right) => ({ whoIs: keeping(right).whoIs }),
  'remembers a caller for ever': (right) => {
    const { callers, whoIs } = keeping(right);
    return {
      whoIs: async (credential) => {
        await whoIs(credential);
        return right.whoIs(credential);
      },
      remembered: (credential) => toProve(callers.get(credential)),
    };
  },
  'remembers another caller': (right) => {
    let last: Identified;
    const confused = answering((found) => {
      last = found ?? last;
      return found;
    });
    return { ...confused(right), remembered: () => toProve(last) };
  },
  'remembers callers as if they were proven': (right) => ({
    remembered: (credential) => {
      const caller = right.remembered?.(credential);
      return caller && ({ ownerId: caller.ownerId, subject: caller.subject } as typeof caller);
    },
  }),
  'remembers callers whom no write proves': (right) => named(right, (subject) => `idp:${subject}` as Subject),
  'has subjects that are malformed': (right) => ({
    ...named(right, (subject) => `Key:${subject}` as Subject),
    remembered: () => undefined,
  }),
  'forgets the hosts of a caller whom it remembers': (right) => ({
    remembered: (credential) => {
      const { hosts: _, ...caller } = right.remembered?.(credential) ?? {};
      return 'toProve' in caller ? (caller as Caller & { toProve: true }) : undefined;
    },
  }),
  'names callers by their credentials': ({ issue, whoIs }) => {
    const by = (credential: string, caller: Caller) => ({
      ...caller,
      subject: `token:${credential}` as Subject,
    });
    return {
      issue: async (...terms) => {
        const { credential, caller } = await issue(...terms);
        return { credential, caller: by(credential, caller) };
      },
      whoIs: async (credential) => {
        const found = await whoIs(credential);
        return isCaller(found) ? by(credential, found) : found;
      },
    };
  },
  'says which credential it refuses': (right) => ({
    whoIs: async (credential) => (await right.whoIs(credential)) ?? { refused: `unknown: ${credential}` },
  }),
  'says for which credential it is away': (right) => ({
    whoIs: (credential) =>
      right.whoIs(credential).catch((cause) => {
        throw new Unavailable(`no answer for ${credential}`, { cause });
      }),
  }),
  'throws for what is unknown': answering((found) => {
    if (!isCaller(found)) throw new TypeError('unknown');
    return found;
  }),
  'joins a look-up that is under way': (right) => {
    const looking = new Map<string, Promise<Identified>>();
    const whoIs = async (credential: string) => {
      const look = looking.get(credential) ?? right.whoIs(credential);
      looking.set(credential, look);
      return look.finally(() => looking.delete(credential));
    };
    return { whoIs };
  },
  'shares its state between calls': (right) => {
    let last = '';
    const whoIs = async (credential: string) => {
      last = credential;
      await turn();
      return right.whoIs(last);
    };
    return { whoIs };
  },
  'throws what the driver throws': (right) => ({
    whoIs: (credential) => right.whoIs(credential).catch(({ cause }) => Promise.reject(cause)),
  }),
  'knows nobody while the store is away': (right) => ({
    whoIs: (credential) => right.whoIs(credential).catch(() => undefined),
  }),
  'stays away once it was': (right) => {
    let away: Promise<never> | undefined;
    const whoIs = (credential: string) =>
      away ??
      right.whoIs(credential).catch((error) => {
        away = Promise.reject(error);
        return away;
      });
    return { whoIs };
  },
  ...Object.fromEntries(
    Object.entries({
      'without case': (stored, asked) => stored.toLowerCase() === asked.toLowerCase(),
      'by `like`': (stored, asked) =>
        RegExp(`^${asked.replace(/\W/g, '\\$&').replaceAll('_', '.').replaceAll('\\%', '.*')}$`, 's').test(
          stored,
        ),
      'without blanks around them': (stored, asked) => stored === asked.trim(),
      'without blanks after them': (stored, asked) => stored === asked.trimEnd(),
      'up to a NUL': (stored, asked) => stored === asked.split('\0')[0],
      'as far as its column goes': (stored, asked) => stored === asked.slice(0, stored.length),
      'by the start that it shows': (stored, asked) => stored.startsWith(asked.slice(0, 12)),
      'in a text that it writes': (stored, asked) => stored === asked || / or '1'='1$/.test(asked),
    } satisfies Record<string, (stored: string, asked: string) => boolean>).map(([how, isSame]) => [
      `compares credentials ${how}`,
      (right: Parts) => finding(right, isSame),
    ]),
  ),
};

/** An identity whose callers have other subjects. */
function named(right: Parts, subjectOf: (subject: Subject) => Subject): Parts {
  const renamed = <T extends Identified>(found: T): T =>
    isCaller(found) ? { ...found, subject: subjectOf(found.subject) } : found;
  return {
    whoIs: async (credential) => renamed(await right.whoIs(credential)),
    remembered: (credential) => renamed(right.remembered?.(credential)),
    issue: async (...terms) => {
      const { credential, caller } = await right.issue(...terms);
      return { credential, caller: renamed(caller) };
    },
  };
}

/** Finds the last credential that is the same by this comparison. */
function finding(right: Parts, isSame: (stored: string, asked: string) => boolean): Partial<Parts> {
  const stored: string[] = [];
  return {
    issue: async (...terms) => {
      const issued = await right.issue(...terms);
      stored.push(issued.credential);
      return issued;
    },
    whoIs: (asked) => right.whoIs(stored.findLast((one) => isSame(one, asked)) ?? asked),
  };
}

const toProve = (caller: Identified) =>
  isCaller(caller) ? { ...caller, toProve: true as const } : undefined;

/** Whom `whoIs` found first, ever after. */
function keeping({ whoIs }: Identity) {
  const callers = new Map<string, Caller>();
  return {
    callers,
    whoIs: async (credential: string) => {
      const caller = callers.get(credential) ?? (await whoIs(credential));
      if (isCaller(caller)) callers.set(credential, caller);
      return caller;
    },
  };
}
