import { type HotPathObserver, type OpenHotPath, openDatabase } from '@campaign-mirror/adapters-persistence';
import { type CampaignId, SetCampaignMirror } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { databaseMetrics } from '../../packages/app/src/metrics/call-metrics.ts';
import { untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { transfer } from '../support/store/grouped.ts';
import { hotPathBy } from '../support/store/hot-paths.ts';
import { address, change, type Live, newOwner } from '../support/store/world.ts';
import { beforeHistory } from './gate.ts';

const to = address('https://example.com/new');

describe('group commit: what its observer hears', () => {
  const service = groupedOf('suite');
  let lives: [Live, Live, Live];
  let heard: string[];
  let began: number;
  const observer: HotPathObserver = {
    batch: (statement, size) => void heard.push(`${statement} ×${size}`),
    ended: (statement, milliseconds, error) => {
      expect(milliseconds).to.be.within(Number.MIN_VALUE, performance.now() - began);
      heard.push(error ? `${statement} failed` : statement);
    },
    refused: (statement) => void heard.push(`${statement} refused`),
    setAside: () => void heard.push('set aside'),
  };
  const observed = (pool: Pool) => hotPathBy(pool, { observer });
  let hotPath: OpenHotPath;
  let useCase: SetCampaignMirror;
  beforeEach(async () => {
    lives = await service.live(3);
    heard = [];
    began = performance.now();
    hotPath = observed(service.pool);
    useCase = new SetCampaignMirror(hotPath.campaigns, hotPath.identity);
  });

  const set = ({ key, seen }: Live) =>
    useCase.execute({ credential: key, campaign: seen.id, address: to, requestId: 'request-1' });
  const setDirectly = ({ seen, by }: Live) => hotPath.campaigns.setMirror(seen, change(by, to));
  const failingOnce = (code: string) =>
    beforeHistory(
      service.database,
      `if nextval('campaign_mirror.tries') = 1 then raise exception 'once' using errcode = '${code}'; end if`,
    );
  // PostgreSQL tells of an error before it gives up the locks: the try after it can find a mirror locked, and waits.
  const ofWait = ['set-mirrors ×1', 'set aside', 'set-locked-mirror ×1', 'set-locked-mirror'];
  const heardWithoutWaits = () => heard.splice(0).filter((told) => !ofWait.includes(told));
  const forbid = (right: string) =>
    service.database.admin.query(`revoke ${right} from campaign_mirror_service`);

  it('one request, several at once, several of one campaign: how many went together, by which statement', async () => {
    const [one, another] = lives;
    await set(one);
    expect(heard.splice(0)).to.deep.equal(['find-keys ×1', 'find-keys', 'set-mirrors ×1', 'set-mirrors']);
    await Promise.all(lives.map(setDirectly));
    expect(heard.splice(0)).to.deep.equal(['set-mirrors ×3', 'set-mirrors']);
    await Promise.all([one, another, one].map(setDirectly));
    const oneByOne = ['set-mirrors ×2', 'set-mirrors', 'set-mirrors ×1', 'set-mirrors'];
    expect(heard).to.deep.equal(oneByOne);
  });

  it('a campaign that somebody holds and gives away: set aside, and then told as it is', async () => {
    const holder = await service.hold(transfer, lives[0].seen.id, newOwner());
    const call = set(lives[0]);
    await untilWaiting(service.database, call);
    await holder.commit();
    expect(await call).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    const waited = ['set aside', 'set-locked-mirror ×1', 'set-locked-mirror'];
    expect(heard.slice(2)).to.deep.equal(['set-mirrors ×1', 'set-mirrors', ...waited]);
  });

  it('a statement that PostgreSQL ends for the sake of another is run again; after a fault of one the batch is split up', async () => {
    await failingOnce('40P01');
    await setDirectly(lives[0]);
    expect(heardWithoutWaits()).to.deep.equal(['set-mirrors failed', 'set-mirrors']);
    await failingOnce('22000');
    await Promise.all([setDirectly(lives[0]), setDirectly(lives[1])]);
    const splitUp = ['set-mirrors ×2', 'set-mirrors failed', 'set-mirrors', 'set-mirrors'];
    expect(heardWithoutWaits()).to.deep.equal(splitUp);
    await failingOnce('22000');
    expect(await rejection(setDirectly(lives[2]))).to.have.property('code', '22000');
    expect(heard.splice(0), 'one alone is not tried again').to.deep.equal([
      'set-mirrors ×1',
      'set-mirrors failed',
    ]);
    await Promise.all([
      hotPath.campaigns.find(1 as CampaignId),
      rejection(hotPath.campaigns.find((2 ** 63) as CampaignId)),
    ]);
    const oneByOne = ['find-campaigns', 'find-campaigns failed'];
    expect(heard).to.deep.equal(['find-campaigns ×2', 'find-campaigns failed', ...oneByOne]);
  });

  it('a row that was waited for is read again, whatever isolation level is the default of the database', async () => {
    const { admin, name } = service.database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const { pool, close } = await openDatabase(service.database.address('service'));
    const { campaigns } = observed(pool);
    const [{ seen, by }] = lives;
    const clicks = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
    const holder = await service.hold(clicks, seen.id);
    const call = campaigns.setMirror(seen, change(by, to));
    await untilWaiting(service.database, call);
    await holder.commit();
    expect(await call).to.have.nested.property('mirror.clicks', 1);
    const waited = ['set aside', 'set-locked-mirror ×1', 'set-locked-mirror'];
    expect(heard).to.deep.equal(['set-mirrors ×1', 'set-mirrors', ...waited]);
    await close();
  });

  it('a statement that PostgreSQL refuses is told, and no member is tried in vain', async () => {
    await forbid('execute on all functions in schema campaign_mirror');
    const updates = lives.map((live) => rejection(setDirectly(live)));
    for (const fault of await Promise.all(updates)) expect(fault).to.have.property('code', '42501');
    const tried = (statement: string) => [`${statement} failed`, `${statement} refused`];
    const update = ['set-mirrors ×3', ...tried('set-mirrors'), 'set-mirrors failed'];
    expect(heard.splice(0)).to.deep.equal(update);
    await forbid('select on campaign_mirror.campaigns');
    const lookUps = [1, 2, 3].map((id) => rejection(hotPath.campaigns.find(id as CampaignId)));
    for (const fault of await Promise.all(lookUps)) expect(fault).to.have.property('code', '42501');
    const lookUp = ['find-campaigns ×3', ...tried('find-campaigns'), 'find-campaigns failed'];
    expect(heard).to.deep.equal(lookUp);
  });

  it('is counted', async () => {
    const registry = new Registry();
    const pool = { totalCount: 0, idleCount: 0, waitingCount: 0 } as Pool;
    const counts = databaseMetrics(registry, pool, 0);
    counts.ended('find-campaigns', 1, new Error('planted'));
    counts.ended('find-campaigns', 1);
    counts.batch('set-mirrors', 3);
    counts.batch('set-mirrors', 65);
    counts.setAside();
    const told = (await registry.metrics()).split('\n');
    expect(told.filter((line) => !/^#|_bucket| 0$|^$/.test(line))).to.have.members([
      'campaign_mirror_statement_duration_seconds_count{statement="find-campaigns"} 2',
      'campaign_mirror_statement_duration_seconds_sum{statement="find-campaigns"} 0.002',
      'campaign_mirror_statement_failures_total{statement="find-campaigns"} 1',
      'campaign_mirror_batch_members_sum{statement="set-mirrors"} 68',
      'campaign_mirror_batch_members_count{statement="set-mirrors"} 2',
      'campaign_mirror_updates_set_aside_total 1',
    ]);
  });
});
