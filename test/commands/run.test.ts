import { expect } from 'chai';
import {
  command,
  type Done,
  fedCommand,
  startCommand,
  startCommandProcess,
} from '../support/commands/command.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { endAll } from '../support/process/service-process.ts';

/** Lets a second pass in ten milliseconds, in the command. */
const hurried = `data:text/javascript,${encodeURIComponent(`
  const real = performance.now.bind(performance);
  performance.now = () => real() * 100;`)}`;

describe('a call of the command line', () => {
  const database = databaseOf('suite');
  before(async () => {
    await database.admin.query('insert into campaign_mirror.campaigns (owner_id) values (1)');
    expect((await run('key', 'issue', '--owner', '1', '--name', 'held')).code).to.equal(0);
  });

  const settings = () => ({ DATABASE_URL: database.url('operator') });
  const run = (...args: string[]) => command(args, settings());

  const holders: Rival[] = [];
  afterEach(async () => {
    await endAll();
    await letGo();
  });

  /** Until the test ends, or lets go of it. */
  async function held(table: string): Promise<void> {
    const holder = await rival(database);
    holders.push(holder);
    await holder.run(`lock table campaign_mirror.${table} in access exclusive mode`);
  }

  async function letGo(): Promise<void> {
    for (const holder of holders.splice(0)) await holder.rollback();
  }

  it('knows nothing of another that is under way in the same process', async () => {
    const away = { DATABASE_URL: 'postgres://127.0.0.1:9/x', DATABASE_WAIT: '0s', PROT: '1' };
    const calls = [
      () => command(['campaign', 'list', '--json'], settings()),
      () => command(['campaign', 'list', '--verbose'], away),
      () => command(['campaign', 'list'], away),
      () => command(['migrate', '--status', '--json'], { DATABASE_URL: database.url('owner') }),
      () => command(['doctor', '--json'], away),
      () => command(['campaign', 'lost'], settings()),
      () => command(['import', '-'], settings(), 'nonsense\n'),
    ];
    const alone: Done[] = [];
    // In another order than together, so that what one leaves behind is not the same.
    for (const call of calls.toReversed()) alone.unshift(await call());
    expect(alone.map(({ code }) => code)).to.deep.equal([0, 3, 3, 0, 3, 2, 1]);
    // With --verbose the time is told.
    const comparable = ({ errors, ...rest }: Done) => ({
      ...rest,
      errors: errors.replace(/"time":"[^"]*"|"stack": "[^\n]*/g, ''),
    });
    const together = await Promise.all(calls.map((call) => call()));
    expect(together.map(comparable)).to.deep.equal(alone.map(comparable));
  });

  it('is stopped alone, and leaves the process as it was', async () => {
    const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = { listeners: listeners(), exitCode: undefined, environment: { ...process.env } };
    await held('migrations');
    const migrate = () => startCommand(['migrate'], { DATABASE_URL: database.url('owner') });
    const [stopped, other] = [migrate(), migrate()];
    await untilWaiting(database, Promise.race([stopped.ended, other.ended]), 2, ['campaign_mirror_owner']);
    expect((await stopped.stop()).code).to.equal(130);
    await letGo();
    expect(await other.ended, other.errors).to.deep.equal({ code: 0, signal: null });
    expect((await command(['doctor'], { DATABASE_URL: '?' })).code).to.equal(1);
    const after = { listeners: listeners(), exitCode: process.exitCode, environment: { ...process.env } };
    expect(after).to.deep.equal(before);
  });

  it('reads the input that it is given, as it comes', async () => {
    const importing = fedCommand(['import', '-'], settings());
    importing.stdin.write('owner_id,name\n7,');
    importing.stdin.end('Summer\n');
    expect(await importing.ended, importing.errors).to.deep.equal({ code: 0, signal: null });
    expect(importing.output).to.equal('Imported: 1 campaign, 0 mirrors.\n');
  });

  describe('in a process of its own', () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      it(`${signal} stops it between two steps: exit code ${code}`, async () => {
        await held('migrations');
        const migrating = startCommandProcess(['migrate'], { DATABASE_URL: database.url('owner') });
        await untilWaiting(database, migrating.ended, 1, ['campaign_mirror_owner']);
        expect(await migrating.stop(signal)).to.deep.equal({ code, signal: null });
        expect(migrating).to.include({ output: '', errors: 'Nothing was done.\n' });
        await letGo();
      });
    }

    it('what is being written is brought to its end; whoever asks again later means at once', async () => {
      for (const again of [false, true]) {
        await held('access_keys');
        const revoking = startCommandProcess(['key', 'revoke', '1'], {
          ...settings(),
          NODE_OPTIONS: `--import=${hurried}`,
        });
        await untilWaiting(database, revoking.ended);
        revoking.child.kill('SIGINT');
        if (again) {
          const asking = setInterval(() => revoking.child.kill('SIGINT'), 20);
          expect(await revoking.ended).to.deep.equal({ code: 130, signal: null });
          clearInterval(asking);
        }
        await letGo();
        if (!again) expect(await revoking.ended, revoking.errors).to.deep.equal({ code: 0, signal: null });
      }
    });
  });
});
