import {
  type CampaignId,
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
import type { Operator } from './operator.ts';
import type { Recorder } from './recorder.ts';

/** What operators do, on what is known. */
export interface Acting {
  readonly operator: Operator;
  readonly known: Known;
  readonly recorder: Recorder;
  readonly random: Random;
}

export async function createCampaign({ operator, known, random }: Acting): Promise<void> {
  const owner = random.one(owners) as OwnerId;
  const fact = (campaign: number) => [
    { kind: 'campaign-created', campaign, owner, isDefault: false } as const,
  ];
  const [made] = await operator.change(
    async ({ settings }) => {
      const made = await settings.createCampaign({ owner, isDefault: false });
      return made.kind === 'created' ? fact(made.id) : [];
    },
    ({ campaign }) => fact(campaign),
  );
  if (made?.kind !== 'campaign-created') return;
  const id = made.campaign as CampaignId;
  known.campaigns.set(id, { id, owner, isDefault: false, hasMirror: false });
}

export async function createMirror(acting: Acting, { id }: KnownCampaign): Promise<void> {
  const { operator, known, random } = acting;
  const address = known.address(random) as MirrorAddress;
  const fact = [{ kind: 'mirror-created', campaign: id, address } as const];
  const made = await operator.change(
    async ({ settings }) => ((await settings.createMirror(id, address)).kind === 'created' ? fact : []),
    () => fact,
  );
  const campaign = known.campaigns.get(id);
  if (made.length > 0 && campaign) campaign.hasMirror = true;
}

export async function transfer({ operator, random }: Acting, campaign: KnownCampaign): Promise<void> {
  const owner = random.one(owners) as OwnerId;
  const fact = [{ kind: 'transferred', campaign: campaign.id, owner } as const];
  const done = await operator.change(
    async ({ settings }) =>
      (await settings.transfer(campaign.id, owner)).kind === 'transferred' ? fact : [],
    () => fact,
  );
  if (done.length > 0) campaign.owner = owner;
}

export async function changeDefault({ operator }: Acting, campaign: KnownCampaign): Promise<void> {
  const isDefault = !campaign.isDefault;
  const fact = [{ kind: 'default-changed', campaign: campaign.id, isDefault } as const];
  const done = await operator.change(
    async ({ settings }) =>
      (await settings.setDefault(campaign.id, isDefault)).kind === 'changed' ? fact : [],
    () => fact,
  );
  if (done.length > 0) campaign.isDefault = isDefault;
}

export async function deleteCampaign(
  { operator, known, recorder }: Acting,
  { id }: KnownCampaign,
): Promise<void> {
  const fact = [{ kind: 'campaign-deleted', campaign: id } as const];
  await operator.change(
    async ({ settings }) => {
      const deletion = await settings.deleteCampaign(id);
      if (deletion.kind !== 'deleted') return [];
      const { mirror } = deletion.campaign;
      if (mirror) recorder.deleted.push({ ...mirror, campaign: id, address: mirror.targetUrl });
      return fact;
    },
    () => fact,
  );
  known.removeCampaign(id);
}

/** Some keys end by themselves, seconds later. */
export async function issueKey({ operator, known, random }: Acting, owner: OwnerId): Promise<void> {
  const lasts = random.number() < 0.3 ? { expiresIn: 1 + random.below(3) } : {};
  await operator.change(
    async ({ keys }) => {
      const { id, key } = await keys.issue({ owner, name: named('history'), ...lasts });
      known.keys.set(id, { id, key, owner, ...(lasts.expiresIn && { lasts: lasts.expiresIn }) });
      return [{ kind: 'key-issued', key: id, owner }, ...endOf(id, lasts.expiresIn)];
    },
    // Nobody will ever know the key.
    () => [],
  );
}

export async function revokeKey({ operator, known, random }: Acting): Promise<void> {
  const { id } = random.one([...known.keys.values()]) ?? {};
  if (!id) return;
  const fact = endOf(id, 0);
  await operator.change(
    async ({ keys }) => {
      await keys.revoke(id);
      return fact;
    },
    () => fact,
  );
  known.removeKey(id);
}

export async function rotateKey({ operator, known, random }: Acting): Promise<void> {
  const { id, owner, lasts } = random.one([...known.keys.values()]) ?? {};
  if (!id || !owner) return;
  const grace = random.below(2);
  await operator.change(
    async ({ keys }) => {
      const rotation = await keys.rotate(id, { grace });
      if (rotation.kind !== 'rotated') return [];
      const next = { id: rotation.id, key: rotation.key, owner, ...(lasts && { lasts }) };
      known.keys.set(next.id, next);
      return [...endOf(id, grace), { kind: 'key-issued', key: next.id, owner }, ...endOf(next.id, lasts)];
    },
    () => endOf(id, grace),
  );
  known.removeKey(id);
}

const endOf = (key: number, seconds: number | undefined) =>
  seconds === undefined ? [] : [{ kind: 'key-ends', key, after: seconds * 1000 } as const];

export async function moveMirrors({ operator, random }: Acting): Promise<void> {
  const [from, to] = [host(random.one(hosts) ?? ''), host(random.one(hosts) ?? '')];
  if (!from || !to || from.name === to.name) return;
  const move = hostMove(from, to, false, noDeniedHosts);
  if ('fault' in move) throw new Error(move.fault);
  const request = { move, dryRun: false, includeDefault: random.number() < 0.5 };
  await operator.rewrite(async ({ moves }, wrote) => {
    for await (const told of new MoveMirrors(moves).execute(request))
      if (told.kind === 'moved') wrote.push({ campaign: told.campaign, address: told.after });
  });
}

export async function restoreMirror({ operator, random }: Acting, { id }: KnownCampaign): Promise<void> {
  await operator.rewrite(async ({ campaigns, history, mirrors }, wrote) => {
    const change = random.one(await history.list({ campaign: id, limit: 20 }));
    if (!change) return;
    const restored = await new RestoreMirror(campaigns, history, mirrors).execute({
      campaign: id,
      change: change.id,
      address: random.one(['before', 'after'] as const) ?? 'after',
    });
    if (restored.kind === 'restored') wrote.push({ campaign: id, address: restored.mirror.targetUrl });
  });
}
