import { expect } from 'chai';
import { groupCommits } from './support/hot-paths.ts';
import { type LiveService, liveService } from './support/live-service.ts';
import { rival, untilWaiting } from './support/rival.ts';
import { after as afterwards } from './support/world.ts';

for (const groupCommit of groupCommits) {
  /** A rival who locks the mirror first, then wants the campaign, which the update holds while it waits for the mirror. */
  describe(`decisions: atomicity — a rival locks in the other order, GROUP_COMMIT=${groupCommit}`, () => {
    let service: LiveService;
    before(async () => {
      service = await liveService({ groupCommit });
      // A session looks for a deadlock once, so long after it began to wait: the rival has to wait by then, too.
      await service.database.admin.query(
        `do $$ begin execute format('alter database %I set deadlock_timeout = %L', current_database(), '3s'); end $$`,
      );
    });
    after(() => service.close());

    const lockMirror = 'select from campaign_mirror.mirrors where campaign_id = $1 for update';
    const lockCampaign = 'select from campaign_mirror.campaigns where id = $1 for update';

    it('and PostgreSQL ends our statement (40P01): the second try succeeds', async () => {
      const live = await service.campaign();
      const ended: string[] = [];
      service.pool.on('release', (error) =>
        ended.push((error as { code?: string } | undefined)?.code ?? 'none'),
      );
      const other = await rival(service.database);
      // Who waits longer than this looks for a deadlock, and ends itself when there is one: that is to be us.
      await other.run("set local deadlock_timeout = '1h'");
      await other.run(lockMirror, live.seen.id);
      const call = service.set(live, afterwards);
      await untilWaiting(service.database, call);
      await other.run(lockCampaign, live.seen.id);
      // Only our end lets the rival come so far: our second try waits for it now.
      await untilWaiting(service.database, call);
      await other.commit();
      expect(await call).to.have.nested.property('mirror.targetUrl', afterwards);
      expect(ended.filter((code) => code === '40P01')).to.have.length(1);
      expect(await service.world.others.history(live.seen.id)).to.have.length(1);
    });

    it('and PostgreSQL ends the rival: the update goes through at its first try', async () => {
      const live = await service.campaign();
      const ended: string[] = [];
      service.pool.on('release', (error) =>
        ended.push((error as { code?: string } | undefined)?.code ?? 'none'),
      );
      const other = await rival(service.database);
      await other.run("set local deadlock_timeout = '1ms'");
      await other.run(lockMirror, live.seen.id);
      const call = service.set(live, afterwards);
      await untilWaiting(service.database, call);
      const refused = await other.run(lockCampaign, live.seen.id).catch((error) => error);
      expect(refused).to.have.property('code', '40P01');
      await other.rollback();
      expect(await call).to.have.nested.property('mirror.targetUrl', afterwards);
      expect(ended).not.to.include('40P01');
    });
  });
}
