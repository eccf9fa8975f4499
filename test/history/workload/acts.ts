import { setTimeout as pause } from 'node:timers/promises';
import type * as domain from '@campaign-mirror/domain';
import { changeMirrors, host, mirrorsOnHosts, noHosts } from '@campaign-mirror/domain/operator';
import { named } from '../../support/store/world.ts';
import type { Fact } from '../record.ts';
import type { Worker } from './callers.ts';
import { hosts, type KnownCampaign, owners } from './known.ts';
import type { Operator, Ports } from './operator.ts';

interface Acting extends Worker {
  readonly operator: Operator;
}

const campaigns = 5;
const keysOfOwner = 3;
/** Between two acts of one operator, in milliseconds. */
const longestPause = 40;

export async function operate(acting: Acting): Promise<void> {
  const { known, random, over } = acting;
  while (!over.aborted) {
    await keepUp(acting);
    const campaign = known.campaign(random);
    // A default campaign is not to stay one for long: nobody may set its mirror.
    const act = campaign?.isDefault && random.number() < 0.5 ? changeDefault : random.one(drawn);
    if (campaign && act) await act(acting, campaign);
    await pause(random.below(longestPause));
  }
}

/** Makes what is missing for the others to go on. */
export async function keepUp(acting: Acting): Promise<void> {
  const { known } = acting;
  if (known.campaigns.size < campaigns) await createCampaign(acting);
  for (const owner of owners) if (known.keysOf(owner).length < keysOfOwner) await issueKey(acting, owner);
}

/** An act of which it is known before what it changes. Resolves with whether it was done. */
async function done(
  acting: Acting,
  facts: Fact[],
  run: (ports: Ports) => Promise<{ kind: string }>,
  kind: string,
) {
  const changed = await acting.operator.change(
    async (ports) => ((await run(ports)).kind === kind ? facts : []),
    () => facts,
  );
  return changed.length > 0;
}

async function createCampaign({ operator, known, random }: Acting): Promise<void> {
  const owner = random.one(owners) as domain.OwnerId;
  const fact = (campaign: number): Fact[] => [{ kind: 'campaign-created', campaign, owner }];
  const [made] = await operator.change(
    async ({ settings }) => {
      const made = await settings.createCampaign({ owner, isDefault: false });
      return made.kind === 'created' ? fact(made.id) : [];
    },
    ({ campaign }) => fact(campaign),
  );
  if (made?.kind !== 'campaign-created') return;
  const id = made.campaign as domain.CampaignId;
  known.campaigns.set(id, { id, owner, isDefault: false, hasMirror: false });
}

async function createMirror(acting: Acting, { id }: KnownCampaign): Promise<void> {
  const address = acting.known.address(acting.random) as domain.MirrorAddress;
  const facts: Fact[] = [{ kind: 'mirror-created', campaign: id, address }];
  const isDone = await done(acting, facts, ({ settings }) => settings.createMirror(id, address), 'created');
  const campaign = acting.known.campaigns.get(id);
  if (isDone && campaign) campaign.hasMirror = true;
}

async function transfer(acting: Acting, campaign: KnownCampaign): Promise<void> {
  const owner = acting.random.one(owners) as domain.OwnerId;
  const facts: Fact[] = [{ kind: 'transferred', campaign: campaign.id, owner }];
  const run = ({ settings }: Ports) => settings.transfer(campaign.id, owner);
  if (await done(acting, facts, run, 'changed')) campaign.owner = owner;
}

async function changeDefault(acting: Acting, campaign: KnownCampaign): Promise<void> {
  const isDefault = !campaign.isDefault;
  const facts: Fact[] = [{ kind: 'default-changed', campaign: campaign.id, isDefault }];
  const run = ({ settings }: Ports) => settings.setDefault(campaign.id, isDefault);
  if (await done(acting, facts, run, 'changed')) campaign.isDefault = isDefault;
}

async function deleteCampaign(acting: Acting, { id }: KnownCampaign): Promise<void> {
  const run = async ({ settings }: Ports) => {
    const deletion = await settings.deleteCampaign(id);
    const mirror = deletion.kind === 'deleted' ? deletion.campaign.mirror : undefined;
    if (mirror) acting.recorder.deleted.push({ ...mirror, campaign: id, address: mirror.targetUrl });
    return deletion;
  };
  await done(acting, [{ kind: 'campaign-deleted', campaign: id }], run, 'deleted');
  acting.known.removeCampaign(id);
}

async function issueKey({ operator, known, random }: Acting, owner: domain.OwnerId): Promise<void> {
  const expiresIn = random.number() < 0.3 ? 1 + random.below(3) : undefined;
  await operator.change(
    async ({ keys }) => {
      const { id, key } = await keys.issue({
        owner,
        name: named('history'),
        ...(expiresIn && { expiresIn }),
      });
      known.keys.set(id, { id, key, owner });
      const issued: Fact = { kind: 'key-issued', key: id, owner };
      return expiresIn ? [issued, { kind: 'key-ends', key: id, after: expiresIn * 1000 }] : [issued];
    },
    // Nobody will ever know the key.
    () => [],
  );
}

async function revokeKey({ operator, known, random }: Acting): Promise<void> {
  const { id } = random.one([...known.keys.values()]) ?? {};
  if (!id) return;
  const facts: Fact[] = [{ kind: 'key-ends', key: id, after: 0 }];
  await operator.change(
    async ({ keys }) => {
      await keys.revoke({ ids: [id] });
      return facts;
    },
    () => facts,
  );
  known.removeKey(id);
}

async function moveHost({ operator, random }: Acting): Promise<void> {
  const [from, to] = [host(random.one(hosts) ?? ''), host(random.one(hosts) ?? '')];
  if (!from || !to || from.name === to.name) return;
  const move = { from: [from.name], to, subdomains: false };
  const includeDefault = random.number() < 0.5;
  const act = { kind: 'mirrors-moved', details: { from: from.name }, includeDefault } as const;
  await operator.rewrite(async ({ mirrors }, wrote) => {
    const pages = mirrorsOnHosts(mirrors, move, undefined, { below: 0, elsewhere: 0 });
    for await (const told of changeMirrors({ mirrors, denied: noHosts, act }, pages))
      if ('mirror' in told && told.mirror)
        wrote.push({ campaign: told.campaign, address: told.mirror.targetUrl });
  });
}

const drawn: ((acting: Acting, campaign: KnownCampaign) => Promise<void>)[] = [
  ...Array(20).fill(transfer),
  ...Array(8).fill(changeDefault),
  ...Array(2).fill(deleteCampaign),
  ...Array(10).fill(createMirror),
  ...Array(12).fill(moveHost),
  ...Array(12).fill(revokeKey),
];
