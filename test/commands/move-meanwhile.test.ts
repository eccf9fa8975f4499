import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { answered } from '../support/commands/command.ts';
import { type MovingMirrors, movingMirrors, onOldHost } from '../support/commands/moving-mirrors.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { endAll } from '../support/process/service-process.ts';
import { terminal } from '../support/process/terminal.ts';

const transfer = 'update campaign_mirror.campaigns set owner_id = 2 where id = 1';
const lockMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';

describe('mirror move, while others are at work', () => {
  let mirrors: MovingMirrors;
  let other: Rival;
  const filled = async (count: number) => {
    mirrors = await movingMirrors(onOldHost(count));
    other = await rival(mirrors.database);
  };
  afterEach(async () => {
    await endAll();
    await mirrors.database.drop();
  });

  /** The rival does its part, the move comes to it and waits, the rival commits. */
  const meanwhile = async (part: string, ...options: string[]) => {
    await filled(2);
    await other.run(part);
    const moving = mirrors.start(...options);
    await untilWaiting(mirrors.database, moving.ended);
    await other.commit();
    const { code } = await moving.ended;
    return { code, output: moving.output, errors: moving.errors };
  };

  it('a transfer in flight: the mirror moves, and the history has the owner of that moment', async () => {
    const { code, errors } = await meanwhile(transfer);
    expect(code, errors).to.equal(0);
    expect((await mirrors.history()).map(({ campaign, owner }) => [campaign, owner])).to.deep.equal([
      [1, 2],
      [2, 1],
    ]);
  });

  it("a transfer in flight, with --owner: what is that owner's no more is left alone and listed", async () => {
    expect(await meanwhile(transfer, '--owner', '1')).to.deep.equal({
      code: 1,
      output:
        'campaign 1: https://old.example/1 is not moved: the campaign or its mirror was changed meanwhile\n' +
        '1 mirror was moved from old.example to new.example.\n',
      errors: 'not every mirror was moved: 1 changed meanwhile\n',
    });
    expect(await mirrors.addresses()).to.deep.equal(['https://old.example/1', 'https://new.example/2']);
    expect(await mirrors.history()).to.have.length(1);
  });

  it('a campaign that becomes the default one is left alone and listed', async () => {
    const part = 'update campaign_mirror.campaigns set is_default = true where id = 1';
    const { code, output } = await meanwhile(part);
    expect(code).to.equal(1);
    expect(output).to.include('campaign 1: https://old.example/1 is not moved: the campaign or');
    expect(await mirrors.addresses()).to.deep.equal(['https://old.example/1', 'https://new.example/2']);
  });

  it('an address that is set meanwhile stays as it was set, and is listed', async () => {
    const part = "update campaign_mirror.mirrors set target_url = 'https://x.example/' where campaign_id = 1";
    const { code, output } = await meanwhile(part, '--json');
    expect(code).to.equal(1);
    const [, left, sum] = output.split('\n').map((line) => line && JSON.parse(line));
    expect(left).to.deep.equal({
      campaign_id: 1,
      outcome: 'changed-meanwhile',
      before: 'https://old.example/1',
      after: 'https://new.example/1',
    });
    expect(sum).to.include({ moved: 1, changed_meanwhile: 1 });
    expect(await mirrors.addresses()).to.deep.equal(['https://x.example/', 'https://new.example/2']);
  });

  it('a click that is counted meanwhile is not lost', async () => {
    const part = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = 1';
    const { code, errors } = await meanwhile(part);
    expect(code, errors).to.equal(0);
    const { rows } = await mirrors.database.admin.query(
      'select clicks, target_url from campaign_mirror.mirrors',
    );
    expect(rows).to.deep.include({ clicks: '1', target_url: 'https://new.example/1' });
  });

  it('one that is held for long is listed, and keeps nobody else waiting', async () => {
    await filled(3);
    await other.run(lockMirror, 2);
    expect(await mirrors.move()).to.deep.equal({
      code: 1,
      output:
        'campaign 2: https://old.example/2 is not moved: another transaction holds it\n' +
        '2 mirrors were moved from old.example to new.example.\n',
      errors: 'not every mirror was moved: 1 held\n',
    });
    await other.rollback();
    expect((await mirrors.move()).code).to.equal(0);
    expect((await mirrors.history()).map(({ campaign }) => campaign)).to.deep.equal([1, 2, 3]);
  });

  it('Ctrl-C in the middle stops it between two batches; run again it goes on, and does nothing twice', async () => {
    await filled(1_100);
    // Whenever the signal is heard, one of the two is waited for, and the last batch not begun.
    await other.run(lockMirror, 1);
    const later = await rival(mirrors.database);
    await later.run(lockMirror, 501);
    const moving = mirrors.start();
    await untilWaiting(mirrors.database, moving.ended);
    moving.interrupt();
    await other.rollback();
    const { code } = await moving.ended;
    await later.rollback();
    const moved = (await mirrors.history()).length;
    expect(code, moving.errors).to.equal(130);
    expect(moved).to.be.within(499, 1_000);
    expect(moving.errors).to.equal(`Stopped: ${moved} mirrors were moved. Run it again to go on.\n`);

    await movesTheRest(moved);
  });

  it('a database that goes away in the middle: exit code 3; run again it goes on, and does nothing twice', async () => {
    await filled(1_100);
    await other.run(lockMirror, 1);
    const moving = mirrors.start();
    await untilWaiting(mirrors.database, moving.ended);
    await mirrors.database.admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and datname = current_database()',
      [roles.operator],
    );
    const { code } = await moving.ended;
    expect(code, moving.errors).to.equal(3);
    expect(moving.errors).to.equal(
      'the database became unavailable: 499 mirrors were moved, and perhaps some more; run it again to go on\n',
    );
    await other.rollback();
    await movesTheRest(499);
  });

  it('a bar with the time left is on the terminal, and none in a pipe', async () => {
    await filled(600);
    await other.run(lockMirror, 1);
    const shown = terminal(mirrors.words, mirrors.settings);
    await shown.shows(/moving .*\d+ % \| 600 of 600 \| \d+ s left/);
    await other.rollback();
    await shown.shows('600 mirrors were moved from old.example to new.example.');
    expect((await shown.ended).code).to.equal(0);
    expect((await mirrors.move()).errors).to.equal('');
  });

  async function movesTheRest(moved: number): Promise<void> {
    const again = await mirrors.move();
    expect(again).to.deep.equal(
      answered(`${1_100 - moved} mirrors were moved from old.example to new.example.\n`),
    );
    const history = await mirrors.history();
    expect(history).to.have.length(1_100);
    expect(new Set(history.map(({ campaign }) => campaign)).size).to.equal(1_100);
    expect((await mirrors.audited()).reduce((sum, count) => sum + count, 0)).to.equal(1_100);
    for (const address of await mirrors.addresses()) expect(address).to.match(/^https:\/\/new\.example\//);
  }
});
