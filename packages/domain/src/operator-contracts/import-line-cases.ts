import type { Case } from '../contracts/case.ts';
import { expectEqual } from '../contracts/expectations.ts';
import { before, newOwner } from '../contracts/live-campaign.ts';
import { type CampaignFields, campaignFields } from '../import-campaigns/campaign-fields.ts';
import type { BadLine, ImportLine, ImportOutcome } from '../import-campaigns/campaign-import.ts';
import { importedCampaign } from '../import-campaigns/imported-campaign.ts';
import { noDeniedHosts } from '../values/host-denylist.ts';
import type { OwnerId } from '../values/identifiers.ts';
import { named, newCampaign, newMirror } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** Lines that are refused. */
export const importLineCases: readonly Case<StoreWorld>[] = [
  {
    name: 'importAll: a number that is taken, in the store or in the file, is a bad line, and nothing is imported',
    run: async (world) => {
      const there = await newCampaign(world);
      const itsMirror = await newMirror(world, there.id, before);
      const [campaign, mirror, of] = [newNumber(), newNumber(), newOwner()];
      const { outcome, bad } = await imported(
        world,
        { id: campaign, owner_id: String(of), target_url: before, mirror_id: mirror },
        { id: campaign, owner_id: String(of), target_url: before, mirror_id: mirror },
        { id: String(there.id), owner_id: String(of), target_url: before, mirror_id: String(itsMirror.id) },
        { owner_id: String(of) },
        { id: campaign, owner_id: 'x' },
      );
      expectEqual(bad, [
        { line: 3, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
        { line: 3, fault: { kind: 'mirror-taken', id: Number(mirror), line: 2 } },
        { line: 4, fault: { kind: 'campaign-taken', id: there.id, line: null } },
        { line: 4, fault: { kind: 'mirror-taken', id: itsMirror.id, line: null } },
        { line: 6, fault: { kind: 'bad-field', field: 'owner_id', because: 'not-an-identifier' } },
        { line: 6, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
      ]);
      expectEqual(outcome, { kind: 'refused', badLines: 3 });
      expectEqual(await world.records.list({ owner: of, limit: 9 }), []);
    },
  },
  {
    name: 'importAll: contract: default campaign — a second one is a bad line, which names the first',
    run: async (world) => {
      const [of, known, free] = [newOwner(), newOwner(), newOwner()];
      const name = named('the first');
      const first = await world.settings.createCampaign({ owner: known, isDefault: true, name });
      const campaign = newNumber();
      const isDefault = (given: GivenFields) => ({ is_default: 'true', ...given });
      const { outcome, bad } = await imported(
        world,
        isDefault({ owner_id: String(of), name: 'New' }),
        isDefault({ owner_id: String(known), id: campaign }),
        isDefault({ owner_id: String(of) }),
        { owner_id: String(known) },
        isDefault({ owner_id: String(free) }),
        isDefault({ owner_id: String(known) }),
      );
      const taken = (ownerId: OwnerId) => ({ kind: 'second-default', ownerId });
      expectEqual(bad, [
        { line: 3, fault: { ...taken(known), id: first.id, name, line: null } },
        { line: 4, fault: { ...taken(of), id: null, name: 'New', line: 2 } },
        { line: 7, fault: { ...taken(known), id: first.id, name, line: null } },
      ]);
      expectEqual(outcome, { kind: 'refused', badLines: 3 });
    },
  },
];

/** The fields of a line that are not empty. */
type GivenFields = Partial<CampaignFields>;

/** The first line of a file is its header. */
export async function* linesOf(...all: readonly GivenFields[]): AsyncGenerator<ImportLine> {
  const nothing = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
  for (const [at, given] of all.entries()) {
    yield { line: at + 2, ...importedCampaign({ ...nothing, ...given }, noDeniedHosts) };
  }
}

export async function imported(
  { imports }: StoreWorld,
  ...all: readonly GivenFields[]
): Promise<{ outcome: ImportOutcome; bad: BadLine[] }> {
  const bad: BadLine[] = [];
  const outcome = await imports.importAll('some.csv', linesOf(...all), async (one) => void bad.push(one));
  return { outcome, bad };
}

let lastNumber = 5_000_000;

/** A number that no campaign or mirror has. */
export function newNumber(): string {
  lastNumber += 1_000;
  return String(lastNumber);
}

/** A new owner, as a line has it. */
export const owner = () => String(newOwner());
