import { expect } from 'chai';
import { answered } from '../support/commands/command.ts';
import { endWaiting, lockMirror, rival } from '../support/database/rival.ts';
import { mirrorsToMove, moved, moving, ofDefaultCampaign, onOldHost } from './mirrors-to-move.ts';

describe('mirror move: other transactions and interruptions lose no change and repeat none', () => {
  const { database, on, sql, filled, addresses, history } = mirrorsToMove();
  const line = `${moving} --yes`;

  it('waits for a transfer and a click: the history has the new owner, and the time rises', async () => {
    await filled(...onOldHost(2));
    const late = '2199-01-01T00:00:00.00000';
    await sql('update campaign_mirror.mirrors set updated_at = $1', `${late}1Z`);
    const transfer = 'update campaign_mirror.campaigns set owner_id = 2 where id = 1';
    const click = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = 1';
    const { other, running } = await on.held(`${transfer}; ${click}`, line);
    await other.commit();
    expect((await running.ended).code, running.errors).to.equal(0);
    expect((await history()).map(({ owner }) => owner)).to.deep.equal([2, 1]);
    const [mirror] = await on.objects('mirror list');
    expect(mirror).to.include({ target_url: 'https://new.example/1', clicks: 1, updated_at: `${late}2Z` });
    const [change] = await on.objects('mirror history 1');
    expect(change).to.include({ changed_at: `${late}2Z`, subject: 'operator' });
  });

  it('leaves and lists campaigns that are transferred, made default, set or deleted meanwhile', async () => {
    await filled(...onOldHost(6));
    const meanwhile = `
      update campaign_mirror.campaigns set owner_id = 2 where id = 1;
      update campaign_mirror.campaigns set is_default = true where id = 2;
      update campaign_mirror.mirrors set target_url = 'https://x.example/' where campaign_id = 3;
      delete from campaign_mirror.mirrors where campaign_id = 4;
      delete from campaign_mirror.campaigns where id = 5`;
    const { other, running } = await on.held(meanwhile, `${line} --owner 1`);
    await other.commit();
    expect((await running.ended).code).to.equal(1);
    const reasons = [
      'the campaign or its mirror was changed meanwhile',
      `${ofDefaultCampaign(2)}; --include-default moves it, too`,
      'the campaign or its mirror was changed meanwhile',
      'it has no mirror: `./campaign-mirror mirror create 4 --target-url URL` creates it',
      'there is no such campaign',
    ].map((reason, at) => `campaign ${at + 1} is not moved: ${reason}\n`);
    expect(running.output).to.equal(reasons.join('') + moved('1 mirror was', 5));
    expect(running.errors).to.match(/^not every mirror was moved: 2 changed meanwhile, .*: run it again\n$/);
    const left = ['https://old.example/1', 'https://old.example/2', 'https://x.example/'];
    expect(await addresses()).to.deep.equal([...left, 'https://new.example/6']);
    expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([6]);
  });

  it('lists a mirror that stays locked and moves the others; run again it finishes', async () => {
    await filled(...onOldHost(3));
    const other = await rival(database, lockMirror, 2);
    await on.session(`
      $ ${line}
      campaign 2 is not moved: another transaction has locked its mirror
      ${moved('2 mirrors were').trim()}
      ! not every mirror was moved: 1 locked: run it again
      [1]`);
    await other.rollback();
    const finished = async () => (await on.objects('mirror moves')).at(-1).finished;
    expect(await finished()).to.equal(false);
    expect((await on.run(line)).code).to.equal(0);
    expect((await history()).map(({ campaign }) => campaign)).to.deep.equal([1, 2, 3]);
    expect(await finished()).to.equal(true);
  });

  for (const [what, code] of [
    ['Ctrl-C', 130],
    ['the loss of the database', 3],
  ] as const) {
    it(`stops between two batches on ${what}; run again it goes on, and moves nothing twice`, async () => {
      await filled(...onOldHost(1_100));
      await sql(`
        create function public.hold() returns trigger language plpgsql as $$
          begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
        create trigger hold before update on campaign_mirror.mirrors for each row
          when (new.campaign_id = 501) execute function public.hold()`);
      const { other, running } = await on.held('select pg_advisory_xact_lock(1)', line);
      if (code === 3) await endWaiting(database);
      else running.stop();
      await other.rollback();
      expect((await running.ended).code, running.errors).to.equal(code);
      const done = code === 3 ? 500 : 1_000;
      expect(await history()).to.have.length(done);
      const told = `${done} mirrors were moved (move 1)`;
      if (code === 3) expect(running.errors).to.include(`${told} for certain; run it again\n`);
      else expect(running.errors).to.equal(`Stopped: ${told}. Run it again to go on.\n`);
      expect(await on.run(line)).to.deep.equal(answered(moved(`${1_100 - done} mirrors were`)));
      expect(new Set((await history()).map(({ campaign }) => campaign)).size).to.equal(1_100);
      expect(await history()).to.have.length(1_100);
      expect((await on.objects('audit')).map(({ details }) => details.mirrors)).to.deep.equal([1_100]);
      for (const address of await addresses()) expect(address).to.match(/^https:\/\/new\.example\//);
      expect((await on.objects('mirror move --undo 1 --yes')).at(-1)).to.include({ moved: 1_100 });
      for (const address of await addresses()) expect(address).to.match(/^https:\/\/old\.example\//);
    });
  }
});
