import type * as domain from '@campaign-mirror/domain';
import { isCaller, Unavailable } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, IdentityWorld } from '@campaign-mirror/port-contracts';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import { inMemoryWorlds, stepping } from './worlds.ts';

/** Runs a part of a call as a step. */
type Step = <T>(act: () => T | Promise<T>) => Promise<T>;

function stepped() {
  const { steps, next } = stepping();
  const step: Step = async (act) => {
    const how = await next();
    if (how === 'break') throw new Error('read ECONNRESET');
    const result = await act();
    if (how === 'lose') throw new Error('read ECONNRESET');
    return result;
  };
  return { steps, step };
}

/** A world in memory with a broken adapter. */
function repositoryWorld(
  broken: (store: InMemoryStore, step: Step) => domain.CampaignRepository,
): CampaignRepositoryWorld {
  const store = new InMemoryStore();
  const { steps, step } = stepped();
  return { ...inMemoryWorlds(store).campaigns, campaigns: broken(store, step), steps };
}

const narrow = <Id extends number>(id: Id) => (id % 2 ** 32) as Id;

/** Adapters of `CampaignRepository`. Each has several faults, and a case reports each of them. */
export const repositories = {
  /** Judges an old read, writes the whole mirror, then its history; lookups of one campaign share an answer. */
  'judges and writes what it read before a pause': () =>
    repositoryWorld((store, step) => {
      const looking = new Map<number, Promise<domain.Campaign | undefined>>();
      const look = async (id: domain.CampaignId) => {
        const found = await store.find(id);
        return step(() => found);
      };
      return {
        find: (id) => {
          const joined = looking.get(id) ?? look(id).finally(() => looking.delete(id));
          looking.set(id, joined);
          return joined;
        },
        setMirror: async (seen, { key, ...change }) => {
          const mirror = await step(() => structuredClone(store.mirrors.get(seen.id)));
          const copy = Object.assign(new InMemoryStore(), structuredClone({ ...store }));
          const result = await copy.setMirror(seen, change as domain.MirrorChange);
          const row = copy.history.at(-1);
          if (result.kind !== 'mirror-set' || !row || !mirror) return result;
          const [, id] = [await step(() => {}), (store.history.length + 1) as domain.HistoryId];
          store.mirrors.set(seen.id, { ...result.mirror, id: mirror.id });
          await step(() => {});
          store.history.push({ ...row, id });
          return { ...result, lastChange: id };
        },
      };
    }),

  /** Cuts numbers to 32 bits, changes texts, and answers with times, numbers and keys of other updates. */
  'stores something else than it was given': () =>
    repositoryWorld((store, step) => ({
      find: (id) => step(() => store.find(narrow(id))),
      setMirror: async (seen, change) => {
        const keys = [...store.accessKeys.values()];
        if (keys.some(({ id, isRevoked }) => id === change.key && isRevoked))
          return { kind: 'caller-invalid' };
        const asStored = { ...seen, id: narrow(seen.id), ownerId: narrow(seen.ownerId) };
        const address = change.address.toLowerCase() as domain.MirrorAddress;
        const written = { ...change, address, key: undefined };
        const result = await step(() => store.setMirror(asStored, written));
        if (result.kind !== 'mirror-set') return result;
        const time = '2001-01-01T00:00:00.000000Z' as domain.Timestamp;
        Object.assign(store.mirrors.get(seen.id) ?? {}, {
          updatedAt: time,
          clicks: narrow(result.mirror.clicks),
        });
        const newest = await step(() => store.history.at(-1)?.id);
        return { ...result, lastChange: newest as domain.HistoryId };
      },
    })),

  /** Proves no key and no facts, uses several transactions, and retries after a lost answer. */
  'trusts whoever calls': () =>
    repositoryWorld((store, step) => {
      return {
        find: async (id) => {
          const campaign = await step(() => structuredClone(store.campaigns.get(id)));
          return campaign && { ...campaign, hasMirror: await step(() => store.mirrors.has(id)) };
        },
        setMirror: async (seen, { lastChange: _, ...change }) => {
          const facts = (await store.find(seen.id)) ?? seen;
          const write = async () => {
            const result = await step(() => store.setMirror(facts, { ...change, key: undefined }));
            const own = store.history.findLastIndex(({ requestId }) => requestId === change.requestId);
            const rows = own === -1 ? [] : store.history.splice(own, 1);
            await step(() => store.history.push(...rows));
            return result;
          };
          return write().catch(write);
        },
      };
    }),
} satisfies Readonly<Record<string, () => CampaignRepositoryWorld>>;

/** Adapters of `Identity`. */
export const identities = {
  /** Remembers each answer, also that a credential is unknown. */
  'never forgets': () => {
    const world = inMemoryWorlds().identity;
    const known = new Map<string, domain.Identified>();
    const whoIs = async (credential: string) => {
      if (!known.has(credential)) known.set(credential, await world.identity.whoIs(credential));
      return known.get(credential);
    };
    return { ...world, identity: { whoIs } };
  },

  /** Shares a variable among calls, cuts numbers to 32 bits, normalizes credentials, and puts them into its errors. */
  'takes one caller for another': () => {
    const world = inMemoryWorlds().identity;
    const { steps, step } = stepped();
    let last = '';
    const whoIs = async (credential: string) => {
      last = credential.normalize('NFKC');
      const away = (cause: unknown) => {
        throw new Unavailable(`no answer for ${credential}`, { cause });
      };
      const found = await step(() => world.identity.whoIs(last)).catch(away);
      return isCaller(found) ? { ...found, ownerId: narrow(found.ownerId) } : found;
    };
    return { ...world, steps, identity: { whoIs } };
  },
} satisfies Readonly<Record<string, () => IdentityWorld>>;
