import { expect } from 'chai';
import { command, type Done, startCommand, startCommandProcess } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

/** Lets a second pass in ten milliseconds, in the command. */
const hurried = `data:text/javascript,${encodeURIComponent(`
  const real = performance.now.bind(performance);
  performance.now = () => real() * 100;`)}`;

const away = { DATABASE_URL: 'postgres://127.0.0.1:9/x', DATABASE_WAIT: '0s', PROT: '1' };

describe('a call of the command line', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const asOwner = () => ({ DATABASE_URL: database.url('owner') });
  const held = async (table: string) => {
    const holder = await rival(database);
    await holder.run(`lock table campaign_mirror.${table} in access exclusive mode`);
    return holder;
  };

  it('knows nothing of another that is under way in the same process', async () => {
    const calls = [
      () => on.run('campaign list --json'),
      () => command(['campaign', 'list', '--verbose'], away),
      () => command(['campaign', 'list'], away),
      () => command(['migrate', '--status', '--json'], asOwner()),
      () => command(['doctor', '--json'], away),
      () => on.run('campaign lost'),
      () => command(['import', '-'], on.settings, 'nonsense\n'),
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
    const left = () => ({
      listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
      exitCode: process.exitCode,
      environment: { ...process.env },
    });
    const before = left();
    const holder = await held('migrations');
    const [stopped, other] = [startCommand(['migrate'], asOwner()), startCommand(['migrate'], asOwner())];
    await untilWaiting(database, Promise.race([stopped.ended, other.ended]), 2, ['campaign_mirror_owner']);
    expect((await stopped.stop()).code).to.equal(130);
    await holder.rollback();
    expect(await other.ended, other.errors).to.deep.equal({ code: 0, signal: null });
    expect((await command(['doctor'], { DATABASE_URL: '?' })).code).to.equal(1);
    expect(left()).to.deep.equal(before);
  });

  it('in a process of its own, a signal stops it between two steps, with its exit code', async () => {
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
    for (const [signal, code] of Object.entries(codes)) {
      const holder = await held('migrations');
      const migrating = startCommandProcess(['migrate'], asOwner());
      await untilWaiting(database, migrating.ended, 1, ['campaign_mirror_owner']);
      expect(await migrating.stop(signal as keyof typeof codes)).to.deep.equal({ code, signal: null });
      expect(migrating).to.include({ output: '', errors: 'Nothing was done.\n' });
      await holder.rollback();
    }
  });

  it('what is being written is brought to its end; whoever asks again later means at once', async () => {
    const { id } = await on.object('key issue --owner 1 --name held');
    for (const again of [true, false]) {
      const holder = await held('access_keys');
      const words = ['key', 'revoke', `${id}`];
      const revoking = startCommandProcess(words, { ...on.settings, NODE_OPTIONS: `--import=${hurried}` });
      await untilWaiting(database, revoking.ended);
      revoking.child.kill('SIGINT');
      const asking = again && setInterval(() => revoking.child.kill('SIGINT'), 20);
      if (!again) await holder.rollback();
      expect(await revoking.ended, revoking.errors).to.deep.equal({ code: again ? 130 : 0, signal: null });
      if (!again) continue;
      clearInterval(asking || undefined);
      await holder.rollback();
    }
    expect((await on.object('key list')).revoked_at).not.to.equal(null);
  });
});
