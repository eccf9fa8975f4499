import type { BadLine, CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { CampaignFields } from '../../packages/domain/src/import-campaigns/campaign-fields.ts';
import { worldOf } from '../support/process/lives.ts';
import { linesOf } from '../support/store/import-lines.ts';
import {
  before as beforehand,
  liveCampaign,
  newCampaign,
  newMirror,
  newOwner,
} from '../support/store/world.ts';

describe("the operator's import and export", () => {
  const world = worldOf('suite');
  const imported = async (...all: readonly Partial<CampaignFields>[]) => {
    const bad: BadLine[] = [];
    const tell = async (one: BadLine) => void bad.push(one);
    return { outcome: await world.imports.importAll('some.csv', linesOf(...all), tell), bad };
  };
  let lastNumber = 5_000_000;
  /** A number that no campaign or mirror has. */
  const newNumber = () => {
    lastNumber += 1_000;
    return String(lastNumber);
  };
  const owner = () => String(newOwner());
  const line = (number: string) => ({
    id: number,
    mirror_id: number,
    owner_id: owner(),
    target_url: beforehand,
  });
  const exported = async (act: (id: CampaignId, ownerId: number) => Promise<unknown>) => {
    for await (const { id, ownerId } of world.exports.all()) await act(id, ownerId);
  };

  it('the numbers of what is created later are beyond those of the file, and never go back', async () => {
    const [low, high] = [newNumber(), newNumber()];
    const next = async () => {
      const { id: campaign } = await newCampaign(world);
      return { campaign, mirror: (await newMirror(world, campaign, beforehand)).id };
    };
    await imported(line(high));
    const first = await next();
    await imported(line(low));
    const second = await next();
    for (const what of ['campaign', 'mirror'] as const)
      expect([first[what] > Number(high), second[what] > first[what]]).to.deep.equal([true, true]);
  });

  it('the greatest possible number leaves numbers for later campaigns', async () => {
    const usual = newNumber();
    const { outcome } = await imported(line('9007199254740991'), line(usual), { owner_id: owner() });
    expect(outcome).to.include({ kind: 'imported', campaigns: 3 });
    const { id } = await newCampaign(world);
    expect(id).to.be.above(Number(usual)).and.below(9_000_000_000_000_000);
  });

  it('a number that is taken, in the store or in the file, is a bad line, and nothing is imported', async () => {
    const { seen, mirror: there } = await liveCampaign(world);
    const [campaign, mirror, of] = [newNumber(), newNumber(), owner()];
    const twice = { id: campaign, owner_id: of, target_url: beforehand, mirror_id: mirror };
    const taken = { id: String(seen.id), mirror_id: String(there.id) };
    const { outcome, bad } = await imported(
      twice,
      twice,
      { ...twice, ...taken },
      { id: campaign, owner_id: 'x' },
    );
    expect(bad).to.deep.equal([
      { line: 3, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
      { line: 3, fault: { kind: 'mirror-taken', id: Number(mirror), line: 2 } },
      { line: 4, fault: { kind: 'campaign-taken', id: seen.id, line: null } },
      { line: 4, fault: { kind: 'mirror-taken', id: there.id, line: null } },
      { line: 5, fault: { kind: 'bad-field', field: 'owner_id', because: 'not-an-identifier' } },
      { line: 5, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
    ]);
    expect(outcome).to.deep.equal({ kind: 'refused', badLines: 3 });
    expect(await world.records.list({ owner: Number(of) as never, limit: 9 })).to.deep.equal([]);
  });

  it('an error while the lines are read ends it, with nothing imported', async () => {
    const of = newOwner();
    const fault = new RangeError('unreadable');
    async function* ending() {
      yield* linesOf({ owner_id: String(of) });
      throw fault;
    }
    const thrown = await world.imports
      .importAll('some.csv', ending(), async () => {})
      .catch((error) => error);
    expect(thrown).to.equal(fault);
    expect(await world.records.list({ owner: of, limit: 9 })).to.deep.equal([]);
  });

  it('all campaigns are exported as they were at one moment, whatever happens while they are read', async () => {
    const of = newOwner();
    const many = Array.from({ length: 1_500 }, () => ({ owner_id: String(of) }));
    await imported(...many);
    const numbers: CampaignId[] = [];
    await exported(async (id, ownerId) => {
      if (ownerId !== of || numbers.push(id) > 1) return;
      await world.others.deleteCampaign((id + many.length - 1) as CampaignId);
      await newCampaign(world, of);
    });
    expect(numbers).to.deep.equal(many.map((_, at) => (numbers[0] ?? 0) + at));
  });

  it('a reader of the export that stops early blocks nobody', async () => {
    const { seen } = await liveCampaign(world);
    for (let times = 0; times < 5; times++) {
      for await (const _ of world.exports.all()) break;
    }
    await world.others.deleteCampaign(seen.id);
    await exported(async (id) => expect(id).not.to.equal(seen.id));
  });
});
