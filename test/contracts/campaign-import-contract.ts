import {
  type BadLine,
  type CampaignFields,
  type CampaignId,
  campaignFields,
  campaignId,
  type ImportLine,
  type ImportOutcome,
  importedCampaign,
  type Mirror,
  noDeniedHosts,
  type OwnerId,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { before, type Check, newCampaign, newMirror, newOwner, type World } from '../support/store/world.ts';

type Given = Partial<CampaignFields>;

/** The first line of a file is its header. */
export async function* linesOf(...all: readonly Given[]): AsyncGenerator<ImportLine> {
  const nothing = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
  for (const [at, given] of all.entries()) {
    yield { line: at + 2, ...importedCampaign({ ...nothing, ...given }, noDeniedHosts) };
  }
}

async function imported(
  { imports }: World,
  ...all: readonly Given[]
): Promise<{ outcome: ImportOutcome; bad: BadLine[] }> {
  const bad: BadLine[] = [];
  const outcome = await imports.importAll('some.csv', linesOf(...all), async (one) => void bad.push(one));
  return { outcome, bad };
}

let lastNumber = 5_000_000;

/** A number that nobody has. */
function newNumber(): string {
  lastNumber += 1_000;
  return String(lastNumber);
}

const owner = () => String(newOwner());
const id = (text: string) => campaignId(text) as CampaignId;
/** Of a campaign and a mirror of that number. */
const line = (number: string) => ({ id: number, mirror_id: number, owner_id: owner(), target_url: before });
const time = (at: number) => `2026-11-20T15:36:00.00000${at}Z`;

/** What every `CampaignImport` promises. */
export const campaignImportContract: readonly Check[] = [
  {
    name: 'importAll: everything of a campaign and its mirror is as it was said',
    check: async (world) => {
      const [campaign, mirror, of] = [newNumber(), newNumber(), owner()];
      const address = 'HTTPS://B\u00dcCHER.example/{id}?a=\u00e9&b=$1|"x",\'\u{1f389}';
      const { outcome, bad } = await imported(world, {
        id: campaign,
        name: '\\N',
        owner_id: of,
        is_default: 'true',
        created_at: time(1),
        mirror_id: mirror,
        target_url: address,
        clicks: '9007199254740991',
        updated_externally: 'true',
        updated_externally_at: time(3),
        mirror_created_at: time(2),
        mirror_updated_at: time(4),
      });
      expect({ outcome, bad }).to.deep.equal({
        outcome: { kind: 'imported', campaigns: 1, mirrors: 1 },
        bad: [],
      });
      expect(await world.records.find(id(campaign))).to.deep.equal({
        id: Number(campaign),
        name: '\\N',
        ownerId: Number(of),
        isDefault: true,
        createdAt: time(1),
        mirror: {
          id: Number(mirror),
          campaignId: Number(campaign),
          targetUrl: address,
          clicks: Number.MAX_SAFE_INTEGER,
          updatedExternally: true,
          updatedExternallyAt: time(3),
          createdAt: time(2),
          updatedAt: time(4),
        },
      });
      expect(await world.others.history(id(campaign))).to.deep.equal([]);
    },
  },
  {
    name: 'importAll: what is left out is that of a new campaign, with a number beyond all of the file',
    check: async (world) => {
      const [known, knownMirror, of] = [newNumber(), newNumber(), newOwner()];
      const { outcome } = await imported(
        world,
        { owner_id: String(of), target_url: before },
        { id: known, owner_id: owner(), target_url: before, mirror_id: knownMirror },
        { owner_id: String(of) },
      );
      expect(outcome).to.deep.equal({ kind: 'imported', campaigns: 3, mirrors: 2 });
      const [first, second, ...rest] = await world.records.list({ owner: of, limit: 9 });
      expect(rest).to.deep.equal([]);
      expect(first?.id).to.be.greaterThan(Number(known));
      expect(second?.id).to.be.greaterThan(first?.id ?? Number.NaN);
      expect(first).to.include({ name: null, isDefault: false });
      expect(second).to.include({ mirror: null });
      const mirror = first?.mirror as Mirror;
      expect(mirror).to.include({ clicks: 0, updatedExternally: false, updatedExternallyAt: null });
      expect(mirror.id).to.be.greaterThan(Number(knownMirror));
      expect(mirror.createdAt).to.equal(mirror.updatedAt);
      expect(first?.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    },
  },
  {
    name: 'importAll: the numbers of what is created later go on beyond those of the file, and never back',
    check: async (world) => {
      const [low, high] = [newNumber(), newNumber()];
      const next = async () => {
        const campaign = await newCampaign(world);
        return { campaign, mirror: await newMirror(world, campaign.id, before) };
      };
      await imported(world, line(high));
      const first = await next();
      expect(first.campaign.id).to.be.greaterThan(Number(high));
      expect(first.mirror.id).to.be.greaterThan(Number(high));
      await imported(world, line(low));
      const second = await next();
      expect(second.campaign.id).to.be.greaterThan(first.campaign.id);
      expect(second.mirror.id).to.be.greaterThan(first.mirror.id);
    },
  },
  {
    name: 'importAll: the greatest number there is leaves numbers for those to come',
    check: async (world) => {
      const [greatest, usual] = ['9007199254740991', newNumber()];
      expect((await imported(world, line(greatest), line(usual))).outcome).to.include({ kind: 'imported' });
      const { id: next } = await newCampaign(world);
      expect(next).to.be.greaterThan(Number(usual));
      expect((await newMirror(world, next, before)).id).to.be.greaterThan(Number(usual));
      await world.others.deleteCampaign(id(greatest));
    },
  },
  {
    name: 'importAll: a number that is taken, in the store or in the file, is a bad line, and nothing is imported',
    check: async (world) => {
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
      expect(bad).to.deep.equal([
        { line: 3, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
        { line: 3, fault: { kind: 'mirror-taken', id: Number(mirror), line: 2 } },
        { line: 4, fault: { kind: 'campaign-taken', id: there.id, line: null } },
        { line: 4, fault: { kind: 'mirror-taken', id: itsMirror.id, line: null } },
        { line: 6, fault: { kind: 'bad-field', field: 'owner_id', because: 'not-an-identifier' } },
        { line: 6, fault: { kind: 'campaign-taken', id: Number(campaign), line: 2 } },
      ]);
      expect(outcome).to.deep.equal({ kind: 'refused', badLines: 3 });
      expect(await world.records.list({ owner: of, limit: 9 })).to.deep.equal([]);
    },
  },
  {
    name: 'importAll: contract: default campaign — a second one is a bad line, which names the first',
    check: async (world) => {
      const [of, known, free] = [newOwner(), newOwner(), newOwner()];
      const name = named('the first');
      const first = await world.settings.createCampaign({ owner: known, isDefault: true, name });
      const campaign = newNumber();
      const isDefault = (given: Given) => ({ is_default: 'true', ...given });
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
      expect(bad).to.deep.equal([
        { line: 3, fault: { ...taken(known), id: first.id, name, line: null } },
        { line: 4, fault: { ...taken(of), id: null, name: 'New', line: 2 } },
        { line: 7, fault: { ...taken(known), id: first.id, name, line: null } },
      ]);
      expect(outcome).to.deep.equal({ kind: 'refused', badLines: 3 });
    },
  },
  {
    name: 'importAll: the audit has it once, with where it is from; of what was refused it has nothing',
    check: async (world) => {
      const newest = async () => (await world.audit.list({ limit: 1 }))[0];
      const last = await newest();
      await imported(world, { owner_id: 'x' });
      expect(await newest()).to.deep.equal(last);
      await imported(world, { owner_id: owner() }, { owner_id: owner(), target_url: before });
      expect(await newest()).to.deep.include({
        act: 'campaigns-imported',
        campaignId: null,
        details: { campaigns: 2, mirrors: 1, source: 'some.csv' },
      });
    },
  },
  {
    name: 'importAll: nothing at all is nothing to import',
    check: async (world) => {
      expect((await imported(world)).outcome).to.deep.equal({ kind: 'imported', campaigns: 0, mirrors: 0 });
    },
  },
  {
    name: 'importAll: what the lines throw ends it, with nothing imported',
    check: async (world) => {
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
    },
  },
];
