import {
  type FoundMirrors,
  type MirrorMove,
  type MirrorMoveOutcome,
  type MirrorMoves,
  type MirrorStretch,
  type MoveTerms,
  operatorSubject,
} from '@campaign-mirror/domain';
import { campaignIn, setMirrorIn } from './set-mirror.ts';
import { StoreAdapter } from './store.ts';

/** Moves mirrors to another host, in memory, where nothing is ever locked: for tests, and for reuse. */
export class InMemoryMirrorMoves extends StoreAdapter implements MirrorMoves {
  async count(): Promise<number> {
    return this.store.mirrors.size;
  }

  async find({ after, limit, owner }: MirrorStretch): Promise<FoundMirrors> {
    const looked = [...this.store.mirrors.values()]
      .filter(({ campaignId }) => after === undefined || campaignId > after)
      .toSorted((one, next) => one.campaignId - next.campaignId)
      .slice(0, limit);
    const mirrors = looked.flatMap(({ campaignId, targetUrl }) => {
      const campaign = campaignIn(this.store, campaignId);
      if (!campaign || (owner && campaign.ownerId !== owner)) return [];
      return [{ campaign, address: targetUrl }];
    });
    return { mirrors, looked: looked.length, last: looked.at(-1)?.campaignId };
  }

  async setMany(moves: readonly MirrorMove[], terms: MoveTerms): Promise<readonly MirrorMoveOutcome[]> {
    const outcomes = moves.map((move) => this.#set(move, terms));
    const mirrors = outcomes.filter((outcome) => outcome === 'moved').length;
    if (mirrors > 0) {
      const { from, to, subdomains } = terms.move;
      const details = { from, to: to.written, subdomains, mirrors };
      this.note({ act: 'mirrors-moved', ownerId: terms.owner ?? null, details });
    }
    return outcomes;
  }

  async setOne(move: MirrorMove, terms: MoveTerms): Promise<MirrorMoveOutcome> {
    const [outcome = 'changed-meanwhile'] = await this.setMany([move], terms);
    return outcome;
  }

  #set({ campaign: id, before, after }: MirrorMove, { owner, includeDefault }: MoveTerms): MirrorMoveOutcome {
    const campaign = campaignIn(this.store, id);
    const isAsJudged =
      campaign &&
      (!owner || campaign.ownerId === owner) &&
      (includeDefault || !campaign.isDefault) &&
      this.store.mirrors.get(id)?.targetUrl === before;
    if (!isAsJudged) return 'changed-meanwhile';
    const by = { subject: operatorSubject, requestId: this.act.requestId };
    return setMirrorIn(this.store, campaign, after, by) ? 'moved' : 'changed-meanwhile';
  }
}
