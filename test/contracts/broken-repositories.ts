import { setImmediate as turn } from 'node:timers/promises';
import type { InMemoryStore } from '@campaign-mirror/adapters-persistence/in-memory';
import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf, conditionHolds, Unavailable } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld } from '@campaign-mirror/port-contracts';
import { timestampOf } from '../../packages/adapters-persistence/src/schema/times.ts';
import { inMemoryStore, preciseStore, stepping, worldsOf } from '../support/store/judged-store.ts';

/** Mistakes of an adapter, and what the kit says of each. */
export const mistakes = {
  // What is judged or written is from before a pause.
  'checks the owner before it locks': /the old owner wrote after a committed transfer/,
  'checks the default flag before it locks': /default campaign was set after the flag was committed/,
  'writes back a mirror that was deleted': /written after (its|the) deletion .*was committed/,
  'proves the key before it locks': /a key set a mirror after its revocation was committed/,
  'writes clicks back from an earlier read': /a click was lost/,
  'reads the address before ahead of the lock': /the address before was read ahead of the lock/,
  'drops an update that another one overtook': /an update was lost: the history/,
  'takes the time before the lock': /the time of a write was taken before its lock/,
  'refuses with what it read before': /the answer is not as expected.*\n {4}kind: 'campaign-differs'/s,
  'takes a new mirror for the one that it read': /the history names another mirror|another mirror was set/,
  'ignores the condition': /a condition that does not hold/,
  'judges the condition ahead of the lock': /a condition held for more than one of 10/,
  'shows the mirror ahead of the lock': /the mirror of a refusal is not that of its last change/,
  // One write is two.
  'writes the mirror, then the history': /a mirror changed, but not its history/,
  'writes the history, then the mirror': /a history changed, but not its mirror/,
  'answers before it has written': /the stored mirror\S* is not as expected/,
  'reports what it could not write': /a change was reported, but not written/,
  // Calls get in one another's way.
  'shares its state between calls': /an update was lost/,
  'joins a look-up that is under way': /a campaign was found as before a committed transfer/,
  // The store goes away.
  'throws what the driver throws': /an error of the driver was thrown as it is/,
  'swallows what the driver throws': /a change was reported, but not written/,
  'tries again what it may have written': /a change was written twice/,
  // Wrong by itself, whatever happens meanwhile.
  'finds what it found before': /the campaign that was found/,
  'remembers what it did not find': /looked for before it was created/,
  'rounds the owner': /the campaign that was found is not as expected.*\n\+ +ownerId/s,
  'does not look at what was seen': /the answer\S* is not as expected/,
  'trusts the claim of a key': /the answer\S* is not as expected/,
  'knows keys only': /the call|the mirror was not set/,
  'sets all mirrors of the owner': /the mirror of another campaign/,
  'changes the address': /the address is not as expected/,
  'touches what it refuses': /the mirror is not as expected.*clicks/s,
  'moves the time of creation': /the time of creation after an update/,
  'takes the address before from the history': /the history of a mirror that was created again/,
  'forgets the last change with its mirror': /the last change was forgotten/,
  'has times that do not rise': /the times of three updates/,
  'has a clock of its own': /the time of a write, \S+, is not between/,
  'forgets the history of what is deleted': /the history of what was deleted/,
  // Everyday SQL.
  'writes the request id into its text': /in every field: Unavailable/,
  'cuts a subject at 64 characters': /the history is not as expected.*subject/s,
  'numbers all changes alike': /the numbers of the history do not rise/,
  'cuts numbers of campaigns to 32 bits': /what there never was/,
  'cuts numbers of owners to 32 bits':
    /otherwise than it is: ContractViolation: the answer\S* is not as expected/,
  'cuts numbers of keys to 32 bits': /the answer\S* is not as expected.*'caller-invalid'/s,
  'cuts the numbers of a condition to 32 bits': /the answer to a condition that does not hold/,
  'takes a key without an end for an expired one': /the mirror was not set: caller-invalid/,
  'cuts the owners of its history to 32 bits': /the recorded owners/,
  'has numbers as texts': /an identifier is no number/,
  'changes what it found': /the campaign that was found, after it was changed/,
  'judges the condition ahead of the key': /the answer\S* is not as expected.*caller-invalid/s,
  'judges the condition ahead of the campaign': /the answer\S* is not as expected.*campaign-differs/s,
  'takes any mirror for that of the campaign': /the campaign that was found is not as expected.*hasMirror/s,
  'stays away once it was': /stays unavailable although the store is back/,
  'keeps each connection that it lost': /stays unavailable although the store is back/,
} as const;

export type Mistake = keyof typeof mistakes;

/** The world of an adapter in memory that pauses between its steps, as often and as long as `pause` does. */
export function pausedWorld(
  mistake?: Mistake,
  pause: () => Promise<unknown> = turn,
): CampaignRepositoryWorld {
  const store = preciseStore();
  const { steps, breaks } = stepping();
  const paused = async () => {
    await pause();
    if (await breaks()) throw new Error('read ECONNRESET');
  };
  const world = worldsOf(inMemoryStore(store)).campaigns;
  const { history } = world.others;
  const isKept = (id: domain.CampaignId) =>
    mistake !== 'forgets the history of what is deleted' || store.mirrors.has(id);
  const shown = <T>(value: T) => (mistake === 'has numbers as texts' ? asTexts(value) : value);
  return {
    ...world,
    campaigns: pausedCampaigns(store, paused, mistake),
    others: {
      ...world.others,
      history: async (id) => (isKept(id) ? shown(await history(id)) : []),
      mirror: async (id) => shown(await world.others.mirror(id)),
    },
    steps,
  };
}

/** Its own numbers as a driver returns those of 64 bits. */
function asTexts<T>(value: T): T {
  const isOwn = (name: string) => ['id', 'mirrorId', 'lastChange'].includes(name);
  return value && JSON.parse(JSON.stringify(value, (name, part) => (isOwn(name) ? String(part) : part)));
}

/** A step reads or writes without a pause, which is what a transaction with a lock comes to. */
function pausedCampaigns(
  store: InMemoryStore,
  pause: () => Promise<void>,
  mistake: Mistake | undefined,
): domain.CampaignRepository {
  const found = new Map<domain.CampaignId, Promise<domain.Campaign | undefined>>();
  const entities = new Map<domain.CampaignId, domain.Campaign>();
  let latest: domain.MirrorChange;
  let failures = 0;
  const is = (...some: Mistake[]) => some.some((one) => one === mistake);

  async function find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    const isOld =
      is('finds what it found before') || (is('remembers what it did not find') && !(await look(id)));
    if (!isOld && !is('joins a look-up that is under way')) return found.get(id) ?? look(id);
    const looking = found.get(id) ?? look(id);
    found.set(id, looking);
    if (is('joins a look-up that is under way')) looking.finally(() => found.delete(id));
    return looking;
  }

  async function look(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    return answering(async () => {
      await pause();
      const campaign = campaignOf(id);
      await pause();
      if (is('changes what it found')) return sameOf(id, campaign);
      const rounded = campaign && { ...campaign, ownerId: Math.fround(campaign.ownerId) as domain.OwnerId };
      return is('rounds the owner') ? rounded : campaign;
    });
  }

  async function setMirror(
    seen: domain.Campaign,
    change: domain.MirrorChange,
  ): Promise<domain.SetMirrorResult> {
    if (is('has numbers as texts')) return asTexts(await set(seen, change));
    if (!is('sets all mirrors of the owner')) return answering(() => set(seen, change));
    for (const { id, ownerId } of store.campaigns.values())
      if (ownerId === seen.ownerId && id !== seen.id) await set({ ...seen, id }, change);
    return set(seen, change);
  }

  async function answering<T>(act: () => Promise<T>): Promise<T> {
    try {
      const isOut = failures > 9 && is('keeps each connection that it lost');
      if (isOut || (failures > 0 && is('stays away once it was'))) throw new Error('there is no connection');
      return await act();
    } catch (cause) {
      failures += 1;
      if (is('throws what the driver throws')) throw cause;
      if (is('tries again what it may have written')) return act();
      throw new Unavailable('the store went away', { cause });
    }
  }

  async function set(seen: domain.Campaign, asked: domain.MirrorChange): Promise<domain.SetMirrorResult> {
    const { mirrors, history } = store;
    latest = asked;
    if (is('writes the request id into its text') && asked.requestId.includes("'"))
      throw new Error('syntax error');
    await pause();
    const early = read(seen);
    await pause();
    let fault: unknown;
    await pause().catch((error) => {
      fault = error;
    });
    if (fault && !is('swallows what the driver throws')) throw fault;
    const late = read(seen);
    const from = (...some: Mistake[]) => (is(...some) ? early : late);
    const change = is('shares its state between calls') ? latest : asked;

    const number = accessKeyOf(change.by.subject);
    const key = number && cut('cuts numbers of keys to 32 bits', number);
    const isAhead =
      (is('judges the condition ahead of the key') && late.campaign?.ownerId === seen.ownerId) ||
      (is('judges the condition ahead of the campaign') && late.isValid(key));
    if (isAhead && late.mirror && !conditionHolds(change.condition, late.lastChange))
      return { kind: 'condition-failed', mirror: late.mirror, lastChange: late.lastChange };
    const isProven = from('proves the key before it locks').isValid(key) || is('trusts the claim of a key');
    if (key ? !isProven : is('knows keys only')) return { kind: 'caller-invalid' };
    const { campaign, mirror } = from(
      'writes back a mirror that was deleted',
      'reports what it could not write',
    );
    const isAsSeen =
      is('does not look at what was seen') ||
      ((from('checks the owner before it locks').campaign ?? campaign)?.ownerId ===
        cut('cuts numbers of owners to 32 bits', seen.ownerId) &&
        (from('checks the default flag before it locks').campaign ?? campaign)?.isDefault ===
          seen.isDefault &&
        seen.hasMirror);
    if (mirror && !isAsSeen && is('touches what it refuses')) mirrors.set(seen.id, { ...mirror, clicks: 9 });
    if (!mirror || !isAsSeen)
      return { kind: 'campaign-differs', campaign: from('refuses with what it read before').campaign };

    const isForgotten =
      is('forgets the last change with its mirror') &&
      !history.some(({ mirrorId }) => mirrorId === mirror.id);
    const lastChange = (!isForgotten && store.lastChanges.get(seen.id)) || 0;
    const judged = is('judges the condition ahead of the lock') ? early.lastChange : lastChange;
    const { condition } = change;
    const oneOf = condition && 'oneOf' in condition ? condition.oneOf : undefined;
    const short = oneOf?.map((number) => cut('cuts the numbers of a condition to 32 bits', number));
    if (!is('ignores the condition') && !conditionHolds(short ? { oneOf: short } : condition, judged))
      return {
        kind: 'condition-failed',
        mirror: is('shows the mirror ahead of the lock') ? (early.mirror ?? mirror) : mirror,
        lastChange,
      };

    const next = is('numbers all changes alike') ? (1 as domain.HistoryId) : store.nextId<domain.HistoryId>();
    const changedAt = after(mirror.updatedAt, from('takes the time before the lock').now);
    const address = change.address.toLowerCase() as domain.MirrorAddress;
    const written = {
      ...mirror,
      id: from('takes a new mirror for the one that it read').mirror?.id ?? mirror.id,
      targetUrl: is('changes the address') ? address : change.address,
      clicks: from('writes clicks back from an earlier read').mirror?.clicks ?? mirror.clicks,
      createdAt: is('moves the time of creation') ? mirror.updatedAt : mirror.createdAt,
      updatedExternally: true,
      updatedExternallyAt: changedAt,
      updatedAt: changedAt,
    };
    const setMirror = () => {
      if (mirrors.has(seen.id) || !is('reports what it could not write'))
        mirrors.set(seen.id, { ...written, id: mirror.id });
    };
    const record = () => {
      if (!mirrors.has(seen.id) && is('reports what it could not write')) return;
      store.lastChanges.set(seen.id, next);
      history.push({
        id: next,
        mirrorId: written.id,
        campaignId: seen.id,
        subject: is('cuts a subject at 64 characters')
          ? (change.by.subject.slice(0, 64) as domain.Subject)
          : change.by.subject,
        ownerId: cut('cuts the owners of its history to 32 bits', seen.ownerId),
        addressBefore:
          (is('takes the address before from the history')
            ? history.findLast(({ campaignId }) => campaignId === seen.id)?.addressAfter
            : undefined) ?? (from('reads the address before ahead of the lock').mirror ?? mirror).targetUrl,
        addressAfter: written.targetUrl,
        changedAt,
        requestId: change.requestId,
      });
    };
    const isOvertaken = early.mirror?.updatedAt !== mirror.updatedAt;
    if (fault || (isOvertaken && is('drops an update that another one overtook')))
      return { kind: 'mirror-set', mirror: written, lastChange: next };
    if (is('answers before it has written')) {
      pause().then(setMirror).then(record);
      return { kind: 'mirror-set', mirror: written, lastChange: next };
    }
    if (is('writes the history, then the mirror')) {
      record();
      await pause();
      setMirror();
    } else {
      setMirror();
      if (is('writes the mirror, then the history')) await pause();
      record();
    }
    await pause();
    return { kind: 'mirror-set', mirror: written, lastChange: next };
  }

  function read({ id, ownerId }: domain.Campaign) {
    const mirror = store.mirrors.get(id);
    const endless = !is('takes a key without an end for an expired one');
    const keys = [...store.accessKeys.values()].filter(
      (key) => store.isValid(key) && (endless || key.expiresAt !== null),
    );
    const owner = cut('cuts numbers of owners to 32 bits', ownerId);
    const valid = new Set(keys.filter((key) => key.ownerId === owner).map((key) => key.id));
    return {
      campaign: campaignOf(id),
      mirror: mirror && { ...mirror },
      isValid: (key: domain.AccessKeyId | undefined) => key !== undefined && valid.has(key),
      lastChange: store.lastChanges.get(id) ?? 0,
      now: store.now(),
    };
  }

  function campaignOf(id: domain.CampaignId): domain.Campaign | undefined {
    const stored = store.campaigns.get(cut('cuts numbers of campaigns to 32 bits', id));
    const hasMirror = is('takes any mirror for that of the campaign')
      ? store.mirrors.size > 0
      : store.mirrors.has(id);
    return stored && { ...stored, hasMirror };
  }

  /** One object for a campaign, as a cache of entities has it. */
  function sameOf(id: domain.CampaignId, campaign: domain.Campaign | undefined): domain.Campaign | undefined {
    const same = campaign && Object.assign(entities.get(id) ?? {}, campaign);
    if (same) entities.set(id, same);
    return same;
  }

  function after(time: domain.Timestamp, clock: bigint): domain.Timestamp {
    const later = BigInt(Date.parse(`${time.slice(0, 23)}Z`)) * 1000n + BigInt(time.slice(23, 26)) + 1n;
    const now = is('has a clock of its own') ? clock + 10_000_000n : clock;
    return timestampOf(now > later || is('has times that do not rise') ? now : later);
  }

  function cut<Id extends number>(mistake: Mistake, number: Id): Id {
    return (is(mistake) ? number % 2 ** 32 : number) as Id;
  }

  return { find, setMirror };
}
