import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual, expectThat } from '../contracts/expectations.ts';
import { address, newOwner } from '../contracts/live-campaign.ts';
import { type HostMove, hostMove } from '../move-mirrors/host-move.ts';
import type { MirrorMove, MoveTerms } from '../move-mirrors/mirror-moves.ts';
import { host } from '../values/host.ts';
import { noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import { newCampaign, newMirror } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

export const old = address('https://old.example/?x={id}');
export const next = address('https://New.example/?x={id}');
export const terms: MoveTerms = { move: hostsMove('old.example', 'New.example'), includeDefault: false };

/** Mirrors that are found, to be moved. */
export const foundMirrorsCases: readonly Case<StoreWorld>[] = [
  {
    name: 'find, count: stretch by stretch all mirrors, once each, in the order of their campaigns',
    run: async (world) => {
      const ids: CampaignId[] = [];
      for (let made = 0; made < 5; made++) ids.push(await oldMirror(world, newOwner()));
      const found: CampaignId[] = [];
      let looked = 0;
      let stretches = 0;
      let after: CampaignId | undefined;
      do {
        const stretch = await world.mirrorMoves.find({ limit: 2, ...(after && { after }) });
        expectThat(stretch.looked <= 2, `at most two, not ${stretch.looked}`);
        expectEqual(stretch.last, stretch.mirrors.at(-1)?.campaign.id);
        found.push(...stretch.mirrors.map((one) => one.campaign.id));
        looked += stretch.looked;
        expectThat(++stretches < 10_000, 'an end of the stretches');
        after = stretch.last;
      } while (after !== undefined);
      expectAscending(found);
      expectEqual(
        found.filter((id) => ids.includes(id)),
        ids,
      );
      expectEqual(looked, found.length);
      expectEqual(await world.mirrorMoves.count(), found.length);
    },
  },
  {
    name: "find: an owner's alone, with what is judged; those of others are examined, too",
    run: async (world) => {
      const owner = newOwner();
      const before = await oldMirror(world, newOwner());
      const mine = await oldMirror(world, owner, true);
      const others = await oldMirror(world, newOwner());
      const campaign = { id: mine, ownerId: owner, isDefault: true, hasMirror: true };
      const found = await world.mirrorMoves.find({ after: before, limit: 2, owner });
      expectEqual(found, { mirrors: [{ campaign, address: old }], looked: 2, last: others });
      const rest = await world.mirrorMoves.find({ after: others, limit: 2, owner });
      expectEqual(rest, { mirrors: [], looked: 0, last: undefined });
    },
  },
];

/** A campaign whose mirror is on the host that moves. */
export async function oldMirror(world: StoreWorld, owner: OwnerId, isDefault = false): Promise<CampaignId> {
  const { id } = await newCampaign(world, owner, isDefault);
  await newMirror(world, id, old);
  return id;
}

export function move(id: CampaignId): MirrorMove {
  return { campaign: id, before: old, after: next };
}

function hostsMove(from: string, to: string): HostMove {
  const [left, taken] = [host(from), host(to)];
  const made = left && taken && hostMove(left, taken, false, noDeniedHosts);
  if (!made || 'fault' in made) throw new TypeError(`no move: ${from} ${to}`);
  return made;
}
