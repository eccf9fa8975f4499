import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { lockMirror, rival } from '../support/database/rival.ts';
import { eventually } from '../support/promises.ts';
import { redirectorStage } from './redirector-stage.ts';

const first = 'https://example.com/before';
const second = 'https://second.example/';
const third = 'https://third.example/';

describe('examples/redirector: what is kept of a campaign', () => {
  const stage = redirectorStage();

  it('an address is read once, and again after it changed, by the next visitor', async () => {
    const { target, reads, looked } = await stage.running();
    await looked();
    // More than a second, for which it would be used without a feed.
    for (let round = 0; round < 15; round++) {
      expect(await target()).to.equal(first);
      await looked(10);
    }
    expect(reads).to.deep.equal([stage.one()]);
    await stage.set(second, stage.other());
    await stage.set(second);
    await looked();
    const visits = await Promise.all(Array.from({ length: 50 }, () => target()));
    expect(new Set(visits)).to.deep.equal(new Set([second]));
    expect(reads).to.deep.equal([stage.one(), stage.one()]);
  });

  it('a read that was under way when its campaign changed answers those who wait for it, and nobody else', async () => {
    const { target, looked, hold } = await stage.running({ second: 30_000 });
    await looked();
    const { arrived, release } = hold();
    const early = target();
    await arrived;
    await stage.set(second);
    await looked();
    expect(await target()).to.equal(second);
    release();
    expect(await early).to.equal(first);
    expect(await target()).to.equal(second);
  });

  it('so does one that was under way when the feed was lost and found again', async () => {
    const { target, looks, looked, hold } = await stage.running({ second: 30_000 });
    await looked();
    const { arrived, release } = hold();
    const early = target();
    await arrived;
    const before = looks.length;
    await stage.ways.feed.refuse();
    await stage.set(second);
    await stage.ways.feed.accept();
    await eventually('the feed', () => expect(looks.indexOf(null, before)).to.be.above(-1));
    await looked();
    release();
    expect(await early).to.equal(first);
    expect(await target()).to.equal(second);
  });

  it('what such a read gave is the last known address, should the next read fail', async () => {
    const { target, looked, hold } = await stage.running({ second: 30_000 });
    await looked();
    expect(await target()).to.equal(first);
    await stage.set(second);
    await looked();
    const { arrived, release } = hold();
    const early = target();
    await arrived;
    await stage.set(third);
    await looked();
    release();
    expect(await early).to.equal(second);
    await stage.ways.reads.refuse();
    expect(await target()).to.equal(second);
  });

  it('while the feed hangs, each address is read again after a second', async () => {
    const { target, looked } = await stage.running();
    await looked();
    expect(await target()).to.equal(first);
    stage.ways.feed.freeze();
    for (const address of [second, third]) {
      await stage.set(address);
      await eventually(address, async () => expect(await target()).to.equal(address));
    }
    stage.ways.feed.thaw();
    await looked();
    expect(await target()).to.equal(third);
  });

  it('a connection that died without a sign is replaced', async () => {
    const { target, looked } = await stage.running();
    await looked();
    expect(await target()).to.equal(first);
    stage.ways.feed.freeze(false);
    await looked(50);
    await stage.set(second);
    await looked();
    expect(await target()).to.equal(second);
  });

  it('a second outage right after the first leaves the last known address, and no older one after it', async () => {
    const { target, looks, looked, visit } = await stage.running();
    await looked();
    expect(await target()).to.equal(first);
    const all = [stage.ways.reads, stage.ways.feed];
    const asked = looks.length;
    for (const way of all) await way.refuse();
    await stage.set(second);
    await stage.ways.feed.accept();
    await eventually('a new position', () => expect(looks.indexOf(null, asked)).to.be.above(-1));
    for (const way of all) way.freeze();
    await stage.ways.reads.accept();
    expect(await target()).to.equal(first);
    expect((await visit(stage.other())).status).to.equal(503);
    for (const way of all) way.thaw();
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    expect((await visit(stage.other())).status).to.equal(302);
  });

  it('after a pause in which much may have changed it asks for a new position, and reads what it kept', async () => {
    const { target, looks, looked, reads } = await stage.running({ interval: 100, longestPause: 50 });
    await looked(1);
    expect(await target()).to.equal(first);
    await stage.set(second);
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    expect(new Set(looks)).to.deep.equal(new Set([null]));
    expect(reads.length).to.be.above(1);
  });

  it('changes that a standby repeats, beside a transaction that stays open, cost no reads', async () => {
    const { target, reads, looked } = await stage.running({ asStandby: true });
    const writer = await rival(stage.database, lockMirror, stage.other());
    await writer.run(
      'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1',
      stage.other(),
    );
    await looked();
    for (const address of [second, third, first]) {
      expect(await target()).to.be.a('string');
      await stage.set(address);
      await looked();
      for (let visits = 0; visits < 20; visits++) {
        expect(await target()).to.equal(address);
        await looked(1);
      }
    }
    expect(reads.length).to.be.at.most(4);
    await writer.commit();
  });

  it('what no change tells is found by a sweep: a deletion, and an address that its owner wrote', async () => {
    const { target, visit, looked, reads } = await stage.running({ sweep: 50 });
    await looked();
    expect(await target()).to.equal(first);
    expect(await target(stage.other())).to.equal(first);
    const before = reads.length;
    await looked(50);
    expect(reads, 'sweeps that found nothing').to.have.length(before);
    await stage.byHand(
      'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1',
      stage.one(),
      second,
    );
    await stage.byHand('delete from campaign_mirror.campaigns where id = $1', stage.other());
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    await eventually('the deletion', async () => expect((await visit(stage.other())).status).to.equal(404));
  });

  it('numbers that are no campaign take no address’s place, and a campaign that is made then is found', async () => {
    const { target, visit, reads, looked } = await stage.running({ maxKept: 50 });
    await looked();
    expect(await target()).to.equal(first);
    for (const from of [1_000_000, 2_000_000]) {
      for (let number = from; number < from + 40; number++)
        expect((await visit(number)).status).to.equal(404);
      // It is time that must pass: the second for which they are kept.
      await looked(120);
    }
    expect(await target()).to.equal(first);
    expect(reads.filter((campaign) => campaign === stage.one())).to.have.length(1);
    const made = 'insert into campaign_mirror.campaigns (id, owner_id) values (2000039, 77)';
    await stage.byHand(made);
    await stage.byHand(
      `insert into campaign_mirror.mirrors (campaign_id, owner_id, is_default, target_url) values (2000039, 77, false, '${second}')`,
    );
    await eventually('the new campaign', async () =>
      expect(await target(2_000_039 as CampaignId)).to.equal(second),
    );
  });
});
