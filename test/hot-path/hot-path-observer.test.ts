import type { HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { type MirrorAddress, SetCampaignMirror } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { groupCommit } from '../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { hotPathMetrics } from '../../packages/app/src/metrics/database-metrics.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { rejection } from '../support/faults.ts';
import { groupedOf } from '../support/process/lives.ts';
import { lockMirror, transfer } from '../support/store/grouped.ts';
import { change, type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new' as MirrorAddress;

/** What an observer heard, in its order. */
class Heard implements HotPathObserver {
  readonly words: string[] = [];
  batch(kind: string, size: number): void {
    this.words.push(`${kind} ×${size}`);
  }
  ended(statement: string, milliseconds: number, error?: unknown): void {
    expect(milliseconds).to.be.above(0);
    this.words.push(error ? `${statement} failed` : statement);
  }
  retried(statement: string): void {
    this.words.push(`${statement} again`);
  }
  splitUp(kind: string): void {
    this.words.push(`${kind} split up`);
  }
  refused(statement: string): void {
    this.words.push(`${statement} refused`);
  }
  setAside(): void {
    this.words.push('set aside');
  }
  judgedAgain(): void {
    this.words.push('judged again');
  }
}

describe('group commit: what its observer hears', () => {
  const service = groupedOf('test');
  let heard: Heard;
  let campaigns: PostgresCampaigns;
  let useCase: SetCampaignMirror;
  let lives: [Live, ...Live[]];
  beforeEach(async () => {
    lives = await service.live(3);
    heard = new Heard();
    const statements = new Statements(service.pool, {}, heard);
    const hotPath = groupCommit(statements, { maxHeld: 5, timeout: 30_000 }, heard);
    campaigns = new PostgresCampaigns(hotPath, { observer: heard });
    useCase = new SetCampaignMirror(campaigns, new PostgresIdentity(hotPath));
  });

  const set = ({ key, seen }: Live) =>
    useCase.execute({ credential: key, campaign: seen.id, address, requestId: 'request-1' });
  const failingOnce = (code: string) =>
    service.database.admin.query(`
      create sequence campaign_mirror.failed;
      grant usage on campaign_mirror.failed to public;
      create function campaign_mirror.failing() returns trigger language plpgsql as $$
        begin
          if nextval('campaign_mirror.failed') = 1 then
            raise exception 'once' using errcode = '${code}';
          end if;
          return new;
        end
      $$;
      create trigger failing before insert on campaign_mirror.mirror_history
        for each row execute function campaign_mirror.failing()`);

  it('one request: a look-up of a key and a campaign, and an update', async () => {
    await set(lives[0]);
    expect(heard.words).to.deep.equal(['look-up ×2', 'look-up-one', 'update ×1', 'set-mirror']);
  });

  it('several at once: how many went together', async () => {
    await Promise.all(lives.map(set));
    expect(heard.words).to.deep.equal(['look-up ×6', 'look-up-many', 'update ×3', 'set-mirrors']);
  });

  it('several of one campaign at once: set as a chain', async () => {
    const [one, another] = lives as [Live, Live];
    await Promise.all([one, another, one].map(set));
    expect(heard.words.slice(-2)).to.deep.equal(['update ×3', 'set-mirror-chains']);
  });

  it('a campaign that somebody holds and gives away: set aside, then judged again', async () => {
    const holder = await rival(service.database);
    await holder.run(transfer, lives[0].seen.id, newOwner());
    const call = set(lives[0]);
    await untilWaiting(service.database, call);
    await holder.commit();
    expect(await call).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(heard.words.slice(2)).to.deep.equal([
      ...['update ×1', 'set-mirror', 'set aside', 'update ×1', 'set-held-mirror-chains', 'judged again'],
      ...['look-up ×1', 'look-up-one'],
    ]);
  });

  it('a mirror that is held is set aside, and not judged again', async () => {
    const holder = await rival(service.database);
    await holder.run(lockMirror, lives[0].seen.id);
    const call = set(lives[0]);
    await untilWaiting(service.database, call);
    await holder.rollback();
    await call;
    expect(heard.words).to.include('set aside').and.not.to.include('judged again');
  });

  it('what waited too long for its turn is looked at once more, by a statement of its own calls', async () => {
    const hotPath = groupCommit(new Statements(service.pool, {}, heard), { maxHeld: 1, timeout: 200 }, heard);
    const [first, late] = lives as [Live, Live];
    const holder = await rival(service.database);
    for (const { seen } of [first, late]) await holder.run(lockMirror, seen.id);
    const waiting = hotPath.set(first.seen, change(first.by, address));
    await untilWaiting(service.database, waiting);
    await rejection(hotPath.set(late.seen, change(late.by, address)));
    expect(heard.words.slice(-2)).to.deep.equal(['update ×1', 'set-mirror']);
    await holder.rollback();
    await waiting;
  });

  it('a statement that PostgreSQL ends for the sake of another is run again', async () => {
    await failingOnce('40P01');
    await set(lives[0]);
    const statement = 'set-mirror';
    expect(heard.words.slice(3)).to.deep.equal([`${statement} failed`, `${statement} again`, statement]);
  });

  it('a fault of one member: the batch is split up', async () => {
    await failingOnce('22000');
    const { by, seen } = lives[0];
    await Promise.all(
      [lives[0], lives[1] as Live].map((live) => campaigns.setMirror(live.seen, change(by, address))),
    );
    expect(seen.hasMirror).to.equal(true);
    expect(heard.words.slice(0, 3)).to.deep.equal(['update ×2', 'set-mirrors failed', 'update split up']);
  });

  it('is counted', async () => {
    const registry = new Registry();
    const counts = hotPathMetrics(registry);
    const statements = new Statements(service.pool, {}, counts);
    await rejection(statements.run({ name: 'look-up-one', text: 'select from nothing_there' }, []));
    await statements.run({ name: 'look-up-one', text: 'select' }, []);
    counts.batch('update', 3);
    counts.batch('update', 65);
    for (const count of ['setAside', 'judgedAgain'] as const) counts[count]();
    counts.retried('set-mirrors');
    counts.splitUp('look-up');
    counts.refused('set-mirrors', undefined);
    const told = (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
      (values as { value: number; labels: object; metricName?: string }[])
        .filter(({ value, metricName }) => value > 0 && !metricName?.endsWith('_bucket'))
        .filter(({ metricName }) => !metricName?.endsWith('seconds_sum'))
        .map(({ labels, value, metricName = name }) =>
          [metricName, Object.values(labels).join(), value].join(' '),
        ),
    );
    expect(told.map((line) => line.replace('campaign_mirror_', ''))).to.have.members([
      'statement_duration_seconds_count look-up-one 2',
      'statement_failures_total look-up-one 1',
      'statement_retries_total set-mirrors 1',
      'batch_members_sum update 68',
      'batch_members_count update 2',
      'batches_split_total look-up 1',
      'statements_refused_total set-mirrors 1',
      'updates_set_aside_total  1',
      'judged_again_total  1',
    ]);
  });
});
