import { expect } from 'chai';
import { lockMirror, rival } from '../support/database/rival.ts';
import { eventually } from '../support/promises.ts';
import { redirectorStage } from './redirector-stage.ts';

const first = 'https://example.com/before';

describe('examples/redirector: clicks', () => {
  const stage = redirectorStage();

  it('clicks on a mirror that is locked are counted later, and the others’ at once: every one, once', async () => {
    const { visit } = await stage.running();
    const holder = await rival(stage.database, lockMirror, stage.one());
    const visits = [stage.one(), stage.other()].flatMap((campaign) =>
      Array.from({ length: 30 }, () => visit(campaign)),
    );
    expect(new Set((await Promise.all(visits)).map(({ status }) => status))).to.deep.equal(new Set([302]));
    await eventually('the others', async () => expect(await stage.clicks(stage.other())).to.equal(30));
    expect(await stage.clicks(stage.one())).to.equal(0);
    await holder.commit();
    await eventually('those on the locked one', async () =>
      expect(await stage.clicks(stage.one())).to.equal(30),
    );
  });

  it('a statement that takes too long is ended by the server, so that what is given up is not counted', async () => {
    const { visit, unwritten } = await stage.running();
    expect((await visit(stage.one())).status).to.equal(302);
    await eventually('the first', async () => expect(await stage.clicks(stage.one())).to.equal(1));
    const table = 'lock table campaign_mirror.mirrors in access exclusive mode';
    const holder = await rival(stage.database, table);
    for (let visits = 0; visits < 10; visits++) expect((await visit(stage.one())).status).to.equal(302);
    await eventually('the end of a statement', () =>
      expect(unwritten).to.include('canceling statement due to statement timeout'),
    );
    await holder.commit();
    await eventually('the others', async () => expect(await stage.clicks(stage.one())).to.equal(11));
  });

  it('while the database takes no writes, clicks wait in memory: every one is counted, once, at the end at the latest', async () => {
    const { visit, target, unwritten, stop } = await stage.running({ second: 3_000 });
    const { name } = stage.database;
    await stage.byHand(`alter database ${name} set default_transaction_read_only = on`);
    stage.ways.clicks.cut();
    for (let visits = 0; visits < 30; visits++) await visit(stage.one());
    await eventually('a write that fails', () =>
      expect(unwritten[0]).to.match(/^cannot execute .* in a read-only transaction$/),
    );
    expect(await target()).to.equal(first);
    expect(await stage.clicks(stage.one())).to.equal(0);
    const tried = unwritten.length;
    const ending = stop();
    await eventually('two more', () => expect(unwritten.length).to.be.above(tried + 1));
    await stage.byHand(
      `set transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    );
    expect(await ending).to.equal(0);
    expect(await stage.clicks(stage.one())).to.equal(31);
  });
});
