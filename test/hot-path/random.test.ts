import { type Outcome, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import { randomNumbers } from '../support/random-numbers.ts';
import { seed } from '../support/seed.ts';
import { disagreements } from '../support/store/history-agreement.ts';
import { rivalry } from '../support/store/rivalry.ts';

const asked = 4_000;
const callers = 48;
const rivals = 4;

describe(`group commit: ${asked} calls of ${callers} callers over few campaigns, and rivals (SEED=${seed})`, () => {
  const service = groupedOf('suite');
  before(() => refuseOtherOwners());

  it('each 200 is one row of the history, and each row a 200; chains are unbroken, times rise, only owners set', async () => {
    const lives = await service.live(5);
    const owners = lives.slice(0, 2);
    const random = randomNumbers(seed);
    const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const outcomes = new Map<string, Outcome | Unavailable>();
    let calls = 0;
    let over = false;
    const caller = async () => {
      while (calls < asked) {
        const requestId = `call-${calls++}`;
        const { seen } = one(lives);
        // Most callers are the owner, or were a moment ago.
        const found = random() < 0.9 ? await service.hotPath.campaign(seen.id) : undefined;
        const { key } = owners.find(({ by }) => by.ownerId === found?.ownerId) ?? one(owners);
        const to = `https://example.com/${requestId}`;
        const outcome = await service.set({ seen, key }, to, requestId).catch((fault) => {
          if (fault instanceof Unavailable) return fault;
          throw fault;
        });
        outcomes.set(requestId, outcome);
      }
    };
    const work = Promise.all(Array.from({ length: callers }, caller)).finally(() => {
      over = true;
    });
    const contested = {
      campaigns: lives.map(({ seen }) => seen.id),
      owners: owners.map(({ by }) => by.ownerId),
    };
    const rivalling = Array.from({ length: rivals }, () =>
      rivalry(service.database, contested, random, () => over),
    );
    await Promise.all([work, ...rivalling]);

    expect(outcomes.size).to.equal(asked);
    const rows = await service.history(...lives);
    const set = [...outcomes].filter(([, outcome]) => 'kind' in outcome && outcome.kind === 'mirror-set');
    expect(rows.map((row) => row.requestId)).to.have.members(set.map(([requestId]) => requestId));
    for (const row of rows) {
      const outcome = outcomes.get(row.requestId);
      expect(outcome).to.have.property('mirror').that.includes({
        id: row.mirrorId,
        campaignId: row.campaignId,
        targetUrl: row.addressAfter,
        updatedAt: row.changedAt,
      });
    }
    expect(await disagreements(service.database)).to.deep.equal([]);
    expect(set.length).to.be.greaterThan(asked / 40);
    expect(new Set(rows.map((row) => row.transaction)).size).to.be.lessThan(rows.length);
    expect([service.pool.totalCount - service.pool.idleCount, service.pool.waitingCount]).to.deep.equal([
      0, 0,
    ]);
  });

  /** Looks, as each row of the history is written, at who the owner is at that moment: the campaign is locked then. */
  async function refuseOtherOwners(): Promise<void> {
    await service.database.admin.query(`
      create function campaign_mirror.refuse_other_owners() returns trigger language plpgsql security definer as $$
        begin
          if not exists (
            select from campaign_mirror.campaigns join campaign_mirror.access_keys using (owner_id)
            where campaigns.id = new.campaign_id and access_keys.id = new.access_key_id
              and owner_id = new.owner_id and not is_default
          ) then raise exception 'set by a caller who may not'; end if;
          return new;
        end
      $$;
      create trigger refuse_other_owners before insert on campaign_mirror.mirror_history
        for each row execute function campaign_mirror.refuse_other_owners()`);
  }
});
