import { type CampaignId, Unavailable } from '@campaign-mirror/domain';

/** An update that waits for its answer. */
export interface Held {
  readonly campaign: CampaignId;
  /** When it came, by `performance.now()`. */
  readonly since: number;
  reject(reason: unknown): void;
}

/** Whom the room sends its members to. */
export interface Exits<Member extends Held> {
  /** Waits for whoever holds the campaign, and answers the member. Never rejects. */
  wait(member: Member): Promise<void>;
  /** The campaign may be free now. */
  tryAgain(members: Member[]): void;
}

export interface WaitingRoomLimits {
  /** Campaigns that are waited for at the same time, each on a connection. */
  readonly most: number;
  /** How long an update waits for its turn, in milliseconds. */
  readonly patience: number;
}

/**
 * Where updates wait whose campaign or mirror somebody holds. One a campaign waits in the database, the others of
 * that campaign for it, so that no campaign takes more than one connection and the rest of the pool stays free.
 */
export class WaitingRoom<Member extends Held> {
  readonly #exits: Exits<Member>;
  readonly #limits: WaitingRoomLimits;
  readonly #lines = new Map<CampaignId, Set<Member>>();
  readonly #waitedFor = new Set<CampaignId>();

  constructor(exits: Exits<Member>, limits: WaitingRoomLimits) {
    this.#exits = exits;
    this.#limits = limits;
  }

  enter(member: Member): void {
    const line = this.#lines.get(member.campaign) ?? new Set();
    this.#lines.set(member.campaign, line.add(member));
    this.#callNext();
    if (line.has(member)) this.#dismissInTime(member, line);
  }

  #callNext(): void {
    for (const [campaign, line] of this.#lines) {
      if (this.#waitedFor.size >= this.#limits.most) return;
      const [first] = line;
      if (first && !this.#waitedFor.has(campaign)) void this.#waitFor(first, line);
    }
  }

  async #waitFor(first: Member, line: Set<Member>): Promise<void> {
    const { campaign } = first;
    line.delete(first);
    this.#waitedFor.add(campaign);
    await this.#exits.wait(first);
    this.#waitedFor.delete(campaign);
    this.#lines.delete(campaign);
    const others = [...line];
    line.clear();
    this.#exits.tryAgain(others);
    this.#callNext();
  }

  #dismissInTime(member: Member, line: Set<Member>): void {
    // Its time may be over already, of which Node would warn.
    const left = Math.max(0, member.since + this.#limits.patience - performance.now());
    setTimeout(() => {
      if (!line.delete(member)) return;
      if (line.size === 0 && !this.#waitedFor.has(member.campaign)) this.#lines.delete(member.campaign);
      member.reject(new Unavailable('the campaign was held by somebody for too long'));
    }, left).unref();
  }
}
