import { ContainerModule } from 'inversify';
import type { Log } from '../log.ts';
import type { Scrape } from '../metrics/scrape.ts';
import type { Health } from '../readiness.ts';
import type { Settings } from '../settings.ts';
import { tokens } from '../tokens.ts';
import { opsPage } from './answers.ts';
import { momentOf } from './moment.ts';
import { pageFaults } from './page-faults.ts';
import { RecentMoments } from './recent-moments.ts';

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
