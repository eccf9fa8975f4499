import { setTimeout as pause } from 'node:timers/promises';
import {
  host,
  hostMove,
  type MirrorAddress,
  MoveMirrors,
  noDeniedHosts,
  type OwnerId,
  RestoreMirror,
} from '@campaign-mirror/domain';
import { named } from '../../support/store/operator.ts';
import { hosts, type Known, type KnownCampaign, owners, type Random } from './known.ts';
import type { Operator, Ports } from './operator.ts';
import type { Recorder } from './recorder.ts';
import type { Store } from './store.ts';

/** What operators do, on what is known. */
interface Acting {
  readonly operator: Operator;
  readonly store: Store;
  readonly known: Known;
  readonly recorder: Recorder;
  readonly random: Random;
}

const campaigns = 5;
const keysOfOwner = 3;
/** Between two acts of one operator, in milliseconds. */
const longestPause = 40;

/** Does one thing after the other until it is over. */
export async function operate(acting: Acting, over: AbortSignal): Promise<void> {
  const { operator, known, random } = acting;
  while (!over.aborted) {
    await keepUp(acting);
    const campaign = random.one(known.campaigns);
    // A default campaign is not to stay one for long: nobody may set its mirror.
    const act = campaign?.isDefault && random.number() < 0.5 ? changeDefault : random.one(drawn);
    if (campaign && act) await operator.act((ports) => act(ports, campaign, acting));
    await pause(random.below(longestPause));
  }
}

/** Makes what is missing for the others to go on. */
export async function keepUp(acting: Acting): Promise<void> {
  const { operator, store, known, random } = acting;
  await known.refresh(store);
  const owner = random.one(owners) as OwnerId;
  if (known.campaigns.length < campaigns)
    await operator.act(({ settings }) => settings.createCampaign({ owner, isDefault: false }));
  for (const owner of owners)
    if (known.keys.filter((key) => key.owner === owner).length < keysOfOwner)
      await operator.act(async ({ keys }) => {
        // Some end by themselves, seconds later.
        const expiring = random.number() < 0.3 && { expiresIn: 1 + random.below(3) };
        const made = await keys.issue({ owner, name: named('history'), ...expiring });
        known.issued.push({ ...made, owner });
      });
  await known.refresh(store);
}

type Act = (ports: Ports, campaign: KnownCampaign, acting: Acting) => Promise<unknown>;

const changeDefault: Act = ({ settings }, { id, isDefault }) => settings.setDefault(id, !isDefault);

const deleteCampaign: Act = async ({ settings }, { id }, { recorder }) => {
  const deletion = await settings.deleteCampaign(id);
  const mirror = deletion.kind === 'deleted' ? deletion.campaign.mirror : undefined;
  if (mirror) recorder.deleted.push({ ...mirror, campaign: id, address: mirror.targetUrl });
};

const revokeKey: Act = async ({ keys }, _, { known, random }) => {
  const key = random.one(known.keys);
  if (key) await keys.revoke(key.id);
};

const rotateKey: Act = async ({ keys }, _, { known, random }) => {
  const old = random.one(known.keys);
  const rotation = old && (await keys.rotate(old.id, { grace: random.below(2) }));
  if (rotation?.kind === 'rotated')
    known.issued.push({ id: rotation.id, key: rotation.key, owner: rotation.ownerId });
};

const moveMirrors: Act = async ({ moves, wrote }, _, { random }) => {
  const [from, to] = [host(random.one(hosts) ?? ''), host(random.one(hosts) ?? '')];
  if (!from || !to || from.name === to.name) return;
  const move = hostMove(from, to, false, noDeniedHosts);
  if ('fault' in move) throw new Error(move.fault);
  const request = { move, dryRun: false, includeDefault: random.number() < 0.5 };
  for await (const told of new MoveMirrors(moves).execute(request))
    if (told.kind === 'moved') wrote.push({ campaign: told.campaign, address: told.after });
};

const restoreMirror: Act = async ({ campaigns, history, mirrors, wrote }, { id }, { random }) => {
  const change = random.one(await history.list({ campaign: id, limit: 20 }));
  if (!change) return;
  const restored = await new RestoreMirror(campaigns, history, mirrors).execute({
    campaign: id,
    change: change.id,
    address: random.one(['before', 'after'] as const) ?? 'after',
  });
  if (restored.kind === 'mirror-set') wrote.push({ campaign: id, address: restored.mirror.targetUrl });
};

/** How often each is done, out of their sum. */
const weights: readonly (readonly [Act, number])[] = [
  [({ settings }, { id }, { random }) => settings.transfer(id, random.one(owners) as OwnerId), 20],
  [changeDefault, 8],
  [deleteCampaign, 2],
  [
    ({ settings }, { id }, { known, random }) =>
      settings.createMirror(id, known.address(random) as MirrorAddress),
    10,
  ],
  [restoreMirror, 10],
  [moveMirrors, 6],
  [revokeKey, 6],
  [rotateKey, 6],
];

const drawn = weights.flatMap(([act, weight]) => Array<Act>(weight).fill(act));
