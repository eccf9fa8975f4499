import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual, expectFields, expectThat } from '../contracts/expectations.ts';
import { before, newOwner } from '../contracts/live-campaign.ts';
import { type CampaignId, campaignId } from '../values/identifiers.ts';
import { timestamp } from '../values/timestamp.ts';
import { imported, linesOf, newNumber, owner } from './import-line-cases.ts';
import { newCampaign, newMirror } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

const id = (text: string) => campaignId(text) as CampaignId;
/** Of a campaign and a mirror of that number. */
const line = (number: string) => ({ id: number, mirror_id: number, owner_id: owner(), target_url: before });
const time = (at: number) => `2026-11-20T15:36:00.00000${at}Z`;

/** Lines that are imported. */
export const campaignImportCases: readonly Case<StoreWorld>[] = [
  {
    name: 'importAll: every field of a campaign and its mirror is as in the line',
    run: async (world) => {
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
      expectEqual({ outcome, bad }, { outcome: { kind: 'imported', campaigns: 1, mirrors: 1 }, bad: [] });
      expectEqual(await world.records.find(id(campaign)), {
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
      expectEqual(await world.others.history(id(campaign)), []);
    },
  },
  {
    name: 'importAll: an empty field is that of a new campaign, with a number beyond all of the file',
    run: async (world) => {
      const [known, knownMirror, of] = [newNumber(), newNumber(), newOwner()];
      const { outcome } = await imported(
        world,
        { owner_id: String(of), target_url: before },
        { id: known, owner_id: owner(), target_url: before, mirror_id: knownMirror },
        { owner_id: String(of) },
      );
      expectEqual(outcome, { kind: 'imported', campaigns: 3, mirrors: 2 });
      const [first, second, ...rest] = await world.records.list({ owner: of, limit: 9 });
      expectEqual(rest, []);
      expectThat(first !== undefined && second !== undefined, 'two campaigns');
      expectThat(first.id > Number(known) && second.id > first.id, 'numbers beyond those of the file');
      expectFields(first, { name: null, isDefault: false });
      expectFields(second, { mirror: null });
      expectFields(first.mirror, {
        clicks: 0,
        updatedExternally: false,
        updatedExternallyAt: null,
        updatedAt: first.mirror?.createdAt,
      });
      expectThat(Number(first.mirror?.id) > Number(knownMirror), 'a mirror beyond those of the file');
      expectEqual(timestamp(first.createdAt), first.createdAt);
    },
  },
  {
    name: 'importAll: the numbers of what is created later are beyond those of the file, and never go back',
    run: async (world) => {
      const [low, high] = [newNumber(), newNumber()];
      const next = async () => {
        const { id: campaign } = await newCampaign(world);
        return { campaign, mirror: (await newMirror(world, campaign, before)).id };
      };
      await imported(world, line(high));
      const first = await next();
      await imported(world, line(low));
      const second = await next();
      for (const what of ['campaign', 'mirror'] as const) {
        const numbers = [Number(high), first[what], second[what]];
        expectAscending(numbers);
        expectEqual(new Set(numbers).size, 3, `the numbers of a ${what}`);
      }
    },
  },
  {
    name: 'importAll: the greatest possible number leaves numbers for later campaigns',
    run: async (world) => {
      const [greatest, usual] = ['9007199254740991', newNumber()];
      expectFields((await imported(world, line(greatest), line(usual))).outcome, { kind: 'imported' });
      const { id: next } = await newCampaign(world);
      expectThat(next > Number(usual), `a campaign beyond ${usual}: ${next}`);
      const mirror = await newMirror(world, next, before);
      expectThat(mirror.id > Number(usual), `a mirror beyond ${usual}: ${mirror.id}`);
      await world.others.deleteCampaign(id(greatest));
    },
  },
  {
    name: 'importAll: the audit has one entry, with its source; an import that was refused leaves none',
    run: async (world) => {
      const newest = async () => (await world.audit.list({ limit: 1 }))[0];
      const last = await newest();
      await imported(world, { owner_id: 'x' });
      expectEqual(await newest(), last);
      await imported(world, { owner_id: owner() }, { owner_id: owner(), target_url: before });
      expectFields(await newest(), {
        act: 'campaigns-imported',
        campaignId: null,
        details: { campaigns: 2, mirrors: 1, source: 'some.csv' },
      });
    },
  },
  {
    name: 'importAll: no lines are imported as nothing',
    run: async (world) => {
      expectEqual((await imported(world)).outcome, { kind: 'imported', campaigns: 0, mirrors: 0 });
    },
  },
  {
    name: 'importAll: an error of the lines ends it, with nothing imported',
    run: async (world) => {
      const of = newOwner();
      const fault = new RangeError('unreadable');
      async function* ending() {
        yield* linesOf({ owner_id: String(of) });
        throw fault;
      }
      const done = world.imports.importAll('some.csv', ending(), async () => {});
      const thrown = await done.catch((error) => error);
      expectThat(thrown === fault, `the error of the lines, not ${thrown}`);
      expectEqual(await world.records.list({ owner: of, limit: 9 }), []);
    },
  },
];
