import { setImmediate as turn } from 'node:timers/promises';
import { InMemoryCampaigns, InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
import type * as domain from '@campaign-mirror/domain';
import { isCaller, Unavailable } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, IdentityWorld } from '@campaign-mirror/port-contracts';
import {
  inMemoryStore,
  inMemoryWorlds,
  preciseStore,
  stepping,
  worldsOf,
} from '../support/store/judged-store.ts';

/** A world in memory whose adapter is broken, with a pause as the step of each call. */
function repositoryWorld(
  broken: (store: InMemoryStore, pause: () => Promise<void>) => domain.CampaignRepository,
  others?: (store: InMemoryStore) => Partial<CampaignRepositoryWorld['others']>,
): CampaignRepositoryWorld {
  const store = preciseStore();
  const world = worldsOf(inMemoryStore(store)).campaigns;
  const { steps, pause } = pausing();
  return {
    ...world,
    campaigns: broken(store, pause),
    others: { ...world.others, ...others?.(store) },
    steps,
  };
}

function pausing() {
  const { steps, breaks } = stepping();
  const pause = async () => {
    await turn();
    if (await breaks()) throw new Error('read ECONNRESET');
  };
  return { steps, pause };
}

const narrow = <Id extends number>(id: Id) => (id % 2 ** 32) as Id;

/** Adapters of `CampaignRepository`, by what is wrong with them. Each has several faults: a case names each of them. */
export const repositories = {
  /** It judges a copy of the store, and writes the mirror ahead of its history. */
  'judges and writes what it read before a pause': () =>
    repositoryWorld((store, pause) => {
      const looking = new Map<number, Promise<domain.Campaign | undefined>>();
      const look = async (id: domain.CampaignId) => {
        const found = await new InMemoryCampaigns(store).find(id);
        await pause();
        return found;
      };
      return {
        find: (id) => {
          const joined = looking.get(id) ?? look(id).finally(() => looking.delete(id));
          looking.set(id, joined);
          return joined;
        },
        setMirror: async (seen, change) => {
          const copy = copyOf(store);
          await pause();
          const result = await new InMemoryCampaigns(copy).setMirror(seen, change);
          const [mirror, row] = [copy.mirrors.get(seen.id), copy.history.at(-1)];
          if (result.kind !== 'mirror-set' || !mirror || !row) return result;
          store.mirrors.set(seen.id, { ...mirror, id: store.mirrors.get(seen.id)?.id ?? mirror.id });
          await pause();
          store.lastChanges.set(seen.id, result.lastChange as domain.HistoryId);
          store.history.push(row);
          return result;
        },
      };
    }),

  /** Its numbers have 32 bits, its texts lose what they should keep, and its times are those of another clock. */
  'stores something else than it was given': () =>
    repositoryWorld((store, pause) => {
      const right = new InMemoryCampaigns(store);
      return {
        find: async (id) => {
          await pause();
          return right.find(narrow(id));
        },
        setMirror: async (seen, change) => {
          await pause();
          const result = await right.setMirror(
            { ...seen, id: narrow(seen.id), ownerId: narrow(seen.ownerId) },
            {
              ...change,
              address: change.address.toLowerCase() as domain.MirrorAddress,
              requestId: change.requestId.replaceAll("'", ''),
            },
          );
          if (result.kind !== 'mirror-set') return result;
          const time = '2001-01-01T00:00:00.000000Z' as domain.Timestamp;
          const mirror = { ...result.mirror, updatedAt: time, updatedExternallyAt: time };
          store.mirrors.set(seen.id, mirror);
          return { ...result, mirror };
        },
      };
    }),

  /** It asks for no key and no facts, has one variable for all calls, and throws the driver's errors. */
  'trusts whoever calls': () =>
    repositoryWorld(
      (store, pause) => {
        const right = new InMemoryCampaigns(store);
        let last: readonly [domain.Campaign, domain.MirrorChange];
        return {
          find: async (id) => {
            await pause();
            return right.find(id);
          },
          setMirror: async (seen, { lastChange: _, ...change }) => {
            const by = { ...change.by, subject: 'jwt:anybody' as domain.Subject };
            last = [(await right.find(seen.id)) ?? seen, { ...change, by }];
            await pause();
            return right.setMirror(...last);
          },
        };
      },
      (store) => ({
        history: async (id) =>
          store.mirrors.has(id) ? store.history.filter((row) => row.campaignId === id) : [],
      }),
    ),
} satisfies Readonly<Record<string, () => CampaignRepositoryWorld>>;

function copyOf(store: InMemoryStore): InMemoryStore {
  const { campaigns, mirrors, accessKeys, history, lastChanges } = store;
  const copied = structuredClone({ campaigns, mirrors, accessKeys, history, lastChanges });
  return Object.assign(new InMemoryStore(store.now), copied, { nextId: () => store.nextId() });
}

/** Adapters of `Identity`, by what is wrong with them. */
export const identities = {
  /** Whom it has found it finds ever after, as proven. */
  'never forgets a caller': () => {
    const world = inMemoryWorlds().identity;
    const callers = new Map<string, domain.Caller>();
    const remembered = (credential: string) =>
      callers.get(credential) as (domain.Caller & { toProve: true }) | undefined;
    const whoIs = async (credential: string) => {
      const found = callers.get(credential) ?? (await world.identity.whoIs(credential));
      if (isCaller(found)) callers.set(credential, found);
      return found;
    };
    return { ...world, identity: { remembered, whoIs } };
  },

  /** It has one variable for all calls and numbers of 32 bits, knows everybody, and tells secrets in its errors. */
  'takes one caller for another': () => {
    const world = inMemoryWorlds().identity;
    const { steps, pause } = pausing();
    let last = '';
    const whoIs = async (credential: string) => {
      last = credential;
      await pause().catch((cause) => {
        throw new Unavailable(`no answer for ${credential}`, { cause });
      });
      const found = await world.identity.whoIs(last);
      const somebody = { ownerId: 1 as domain.OwnerId, subject: 'jwt:somebody' as domain.Subject };
      return isCaller(found) ? { ...found, ownerId: narrow(found.ownerId) } : somebody;
    };
    return { ...world, steps, identity: { ...world.identity, whoIs } };
  },
} satisfies Readonly<Record<string, () => IdentityWorld>>;
