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

type Act = (acting: Acting, campaign: KnownCampaign) => Promise<unknown>;

const [campaigns, keysOfOwner] = [5, 3];
/** Between two acts of one operator, in milliseconds. */
const longestPause = 40;

export async function operate(acting: Acting): Promise<void> {
  const { known, random, over } = acting;
  while (!over.aborted) {
    await keepUp(acting);
    const campaign = known.campaign(random);
    // A default campaign soon becomes another one again, since nobody can set its mirror.
    const act = campaign?.isDefault && random.number() < 0.5 ? changeDefault : random.one(drawn);
    if (campaign && act) await act(acting, campaign);
    await pause(random.below(longestPause));
  }
}

export async function keepUp(acting: Acting): Promise<void> {
  const { known } = acting;
  if (known.campaigns.size < campaigns) await createCampaign(acting);
  for (const owner of owners) if (known.keysOf(owner).length < keysOfOwner) await issueKey(acting, owner);
}

/** Records `fact` if the act comes to `kind`, or if only the audit has it. Resolves with whether it was done. */
async function done(
  { operator }: Acting,
  fact: Fact,
  run: (ports: Ports) => Promise<{ kind: string }>,
  kind: string,
): Promise<boolean> {
  const act = async (ports: Ports) => ((await run(ports)).kind === kind ? fact : undefined);
  return (await operator.change(act, () => fact)) !== undefined;
}

async function createCampaign({ operator, known, random }: Acting): Promise<void> {
  const owner = random.one(owners) as domain.OwnerId;
  const facts = { owner, isDefault: false, mirror: null, exists: true };
  const fact = (campaign: number) => ({ campaign, ...facts });
  const made = await operator.change(async ({ settings }) => {
    const creation = await settings.createCampaign({ owner, isDefault: false });
    return creation.kind === 'created' ? fact(creation.id) : undefined;
  }, fact);
  if (!made) return;
  const id = made.campaign as domain.CampaignId;
  known.campaigns.set(id, { id, owner, isDefault: false, hasMirror: false });
}

const createMirror: Act = async (acting, campaign) => {
  const { id } = campaign;
  const address = acting.known.address(acting.random) as domain.MirrorAddress;
  const run = ({ settings }: Ports) => settings.createMirror(id, address);
  const isDone = await done(acting, { campaign: id, mirror: address }, run, 'created');
  if (isDone) campaign.hasMirror = true;
};

const transfer: Act = async (acting, campaign) => {
  const owner = acting.random.one(owners) as domain.OwnerId;
  const run = ({ settings }: Ports) => settings.transfer(campaign.id, owner);
  if (await done(acting, { campaign: campaign.id, owner }, run, 'changed')) campaign.owner = owner;
};

const changeDefault: Act = async (acting, campaign) => {
  const isDefault = !campaign.isDefault;
  const run = ({ settings }: Ports) => settings.setDefault(campaign.id, isDefault);
  const isDone = await done(acting, { campaign: campaign.id, isDefault }, run, 'changed');
  if (isDone) campaign.isDefault = isDefault;
};

const deleteCampaign: Act = async (acting, { id }) => {
  const run = async ({ settings }: Ports) => {
    const deletion = await settings.deleteCampaign(id);
    const mirror = deletion.kind === 'deleted' ? deletion.campaign.mirror : undefined;
    if (mirror) acting.recorder.deleted.push({ ...mirror, campaign: id, address: mirror.targetUrl });
    return deletion;
  };
  await done(acting, { campaign: id, mirror: null, exists: false }, run, 'deleted');
  acting.known.campaigns.delete(id);
};

async function issueKey({ operator, known }: Acting, owner: domain.OwnerId): Promise<void> {
  const issue = async ({ keys }: Ports) => {
    const { id, key } = await keys.issue({ owner, name: named('history') });
    known.keys.set(id, { id, key, owner });
    return { key: id, owner };
  };
  // If the answer is lost, nobody knows the key.
  await operator.change(issue);
}

const revokeKey: Act = async ({ operator, known, random }) => {
  const { id } = random.one([...known.keys.values()]) ?? {};
  if (!id) return;
  const fact = { key: id, isRevoked: true } as const;
  const revoke = ({ keys }: Ports) => keys.revoke({ ids: [id] }).then(() => fact);
  await operator.change(revoke, () => fact);
  known.removeKey(id);
};

const moveHost: Act = async ({ operator, random }) => {
  const [from, to] = [host(random.one(hosts) ?? ''), host(random.one(hosts) ?? '')];
  if (!from || !to || from.name === to.name) return;
  const move = { from: [from.name], to, subdomains: false };
  const act = { kind: 'mirrors-moved', details: { from: from.name }, includeDefault: true } as const;
  const run = async ({ mirrors }: Ports) => {
    const pages = mirrorsOnHosts(mirrors, move, undefined, { below: 0, elsewhere: 0 });
    for await (const _ of changeMirrors({ mirrors, denied: noHosts, act }, pages));
    return undefined;
  };
  await operator.change(run);
};

/** Each act as often as it is drawn, compared with the others. */
const drawn: Act[] = [
  ...Array(20).fill(transfer),
  ...Array(8).fill(changeDefault),
  ...Array(2).fill(deleteCampaign),
  ...Array(10).fill(createMirror),
  ...Array(12).fill(moveHost),
  ...Array(12).fill(revokeKey),
];
