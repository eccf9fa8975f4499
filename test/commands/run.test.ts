import { expect } from 'chai';
import { startCommandProcess } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { projectFolder, start } from '../support/process/service-process.ts';

/** Lets a second pass in ten milliseconds, in the command. */
const hurried = `data:text/javascript,${encodeURIComponent(`
  const real = performance.now.bind(performance);
  performance.now = () => real() * 100;`)}`;

describe('a call of the command line', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const asOwner = () => ({ DATABASE_URL: database.url('owner') });
  const held = (table: string) =>
    rival(database, `lock table campaign_mirror.${table} in access exclusive mode`);

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

  it('an output that is full is told, by the exit code too: what it holds is not whole', async () => {
    const words = ['-c', 'exec "$0" config > /dev/full', `${projectFolder}campaign-mirror`];
    const { code, errors } = await start('sh', words, {}).done();
    expect(errors).to.match(/^standard output cannot be written \(ENOSPC\)/);
    expect(code).to.equal(1);
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
