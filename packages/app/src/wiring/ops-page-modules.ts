import { ContainerModule } from 'inversify';
import type { Log } from '../logging/log.ts';
import type { Scrape } from '../metrics/scrape.ts';
import { opsPage } from '../ops-page/answers.ts';
import { momentOf } from '../ops-page/moment.ts';
import { pageFaults } from '../ops-page/page-faults.ts';
import { RecentMoments } from '../ops-page/recent-moments.ts';
import type { Health } from '../process/readiness.ts';
import type { Settings } from '../settings/settings.ts';
import { tokens } from './tokens.ts';

/** The page for operators; what it keeps of the last minutes is kept from now on. */
export const opsPageModule = new ContainerModule(({ bind }) => {
  bind(tokens.recentMoments)
    .toResolvedValue(
      (scrape: Scrape, settings: Settings, log: Log) => {
        const recent = new RecentMoments(async () => momentOf(await scrape.counted()), pageFaults(log));
        if (settings.METRICS === 'on') recent.start();
        return recent;
      },
      [tokens.scrape, tokens.settings, tokens.log],
    )
    .inSingletonScope()
    .onDeactivation((recent) => recent.stop());
  bind(tokens.opsPage)
    .toResolvedValue(
      (health: Health, recent: RecentMoments, settings: Settings, log: Log) =>
        opsPage(health, recent, settings.METRICS === 'on', pageFaults(log)),
      [tokens.health, tokens.recentMoments, tokens.settings, tokens.log],
    )
    .inSingletonScope();
});
