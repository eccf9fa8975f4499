import { expect } from 'chai';
import { answered } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { mirrorsToMove, moved, moving, ofDefaultCampaign, onOldHost } from './mirrors-to-move.ts';

describe('mirror move: every mirror on a blocked host gets the new host, once', () => {
  const { on, filled, addresses, history } = mirrorsToMove();
  const line = `${moving} --yes`;
  const auditedMoves = async () => (await on.objects('audit')).map(({ details }) => details.mirrors);

  it('changes nothing but the host, records each change, and finds nothing to do a second time', async () => {
    const stays = 'https://x.old.example/?u=https://old.example/';
    const [odd, after] = ['HTTP://OLD.Example.:8080/a?{id}', 'HTTP://new.example:8080/a?{id}'];
    const escaped = 'https://o%6cd.example#b';
    await filled([odd], [stays], [escaped, 2]);
    const hints =
      '1 mirror is on a name below old.example: --subdomains moves these, too. ' +
      '1 mirror has old.example in another part of the address: it stays.\n';
    for (const output of [moved('2 mirrors were'), 'No mirror is on old.example.\n']) {
      expect(await on.run(line)).to.deep.equal(answered(output, hints));
      expect(await addresses()).to.deep.equal([after, stays, 'https://new.example#b']);
      expect(await history()).to.deep.equal([
        { campaign: 1, owner: 1, before: odd, after },
        { campaign: 3, owner: 2, before: escaped, after: 'https://new.example#b' },
      ]);
      expect(await auditedMoves()).to.deep.equal([2]);
    }
  });

  it('lists each mirror and why it is not moved, with exit code 1; --dry-run changes nothing', async () => {
    const long = `https://old.example/${'x'.repeat(2048 - 20)}`;
    const byDefault = 'https://old.example/d';
    await filled(['https://old.example/a\u200db'], [byDefault, 1, true], [long]);
    const before = await addresses();
    await on.session(`
      $ ${moving} --dry-run
      campaign 1: https://old.example/a\\u{200d}b → https://new.example/a\\u{200d}b
      campaign 2 is not moved: ${ofDefaultCampaign(2)}; --include-default moves it, too
      campaign 3: ${long} → ${long.replace('old', 'new')}
      2 mirrors would be moved from old.example to new.example; nothing was done.
      ! not every mirror would be moved: 1 default campaign
      [1]`);
    expect([await addresses(), await history(), await auditedMoves()]).to.deep.equal([before, [], []]);

    const longer = 'mirror move --from-host OLD.example --to-host Longer.example --yes --json';
    const { code, output, errors } = await on.run(longer);
    expect(objectsOf(output).map((one) => [one.campaign_id, one.outcome, one.because])).to.deep.equal([
      [2, 'not-moved', 'default-campaign'],
      [3, 'not-moved', 'too-long'],
      [1, 'moved', undefined],
      [undefined, undefined, undefined],
    ]);
    expect(objectsOf(output).at(-1)).to.include({ move: 1, looked_at: 3, moved: 1, not_moved: 2 });
    expect([code, errors]).to.deep.equal([1, 'not every mirror was moved: 1 default campaign, 1 too long\n']);
    expect((await addresses()).slice(1)).to.deep.equal([byDefault, long]);
  });

  it('moves the mirrors of one owner, names below the host, and default campaigns on request', async () => {
    const fillings = [['https://A.old.example/'], ['https://old.example/', 1, true]] as const;
    await filled(...fillings, ['https://a.old.example/', 2], ['https://bold.example/']);
    await on.session(`
      $ ${line} --subdomains --owner 3
      No mirror is on old.example.`);
    expect((await on.run(`${line} --owner 1 --subdomains --include-default`)).code).to.equal(0);
    expect(await addresses()).to.deep.equal([
      ...['https://A.new.example/', 'https://new.example/'],
      ...['https://a.old.example/', 'https://bold.example/'],
    ]);
  });

  it('refuses a target that no mirror can have before anything moves', async () => {
    await filled(...onOldHost(1));
    const to = (host: string) => `mirror move --from-host old.example --to-host ${host} --subdomains --yes`;
    await on.session(`
      $ ${to('dom11')}
      ! no mirror can be on dom11, which visitors cannot reach: use another --to-host
      $ MIRROR_HOST_DENYLIST=*.denied.example ${to('denied.example')}
      ! the host denylist contains denied.example, or names below it: use another --to-host
      $ ${to('x.old.example')}
      ! x.old.example is old.example itself, or lies below it: use another --to-host`);
    expect((await on.run(to('x.example:80'))).code).to.equal(2);
    expect(await history()).to.deep.equal([]);
  });

  it('moves mirrors off several hosts in one move; the same move later is a new one', async () => {
    await filled(['https://a.example/1'], ['https://x.b.example/2'], ['https://c.example/3']);
    const several = 'mirror move --from-host a.example --from-host b.example,c.example --to-host new.example';
    expect((await on.objects(`${several} --yes`)).at(-1)).to.include({ move: 1, moved: 2, below: 1 });
    expect(await addresses()).to.deep.equal([
      ...['https://new.example/1', 'https://x.b.example/2', 'https://new.example/3'],
    ]);
    await on.run('mirror set 1 https://a.example/again --as-operator');
    expect((await on.objects(`${several} --yes`)).at(-1)).to.include({ move: 4, moved: 1 });
    await on.run('mirror move --undo 4 --yes');
    const listed = (await on.objects('mirror moves')).map(({ id, mirrors, undone_by }) => [
      id,
      mirrors,
      undone_by,
    ]);
    expect(listed.filter(([id]) => id <= 4)).to.deep.equal([
      [4, 1, listed[0]?.[0]],
      [1, 2, null],
    ]);
  });
});
