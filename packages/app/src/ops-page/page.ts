import { readFileSync } from 'node:fs';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { type Checks, contentSecurityPolicy, type OpsAnswer } from '@campaign-mirror/adapters-http';
import { demonstrationCampaign, expiringKeys, recentMoves } from '@campaign-mirror/adapters-persistence/sql';
import { type CampaignId, Unavailable } from '@campaign-mirror/domain';
import type { Pool } from 'pg';
import { type Log, throttled } from '../logging/log-events.ts';
import { atMostEvery } from '../process/readiness.ts';

/** The page for operators, by the paths of its files. Besides `/state.json`, it reads `/metrics`, and keeps what it has seen. */
export function opsPage(options: {
  readonly readiness: () => Promise<Checks>;
  readonly version: Readonly<Record<string, string>>;
  readonly lists: PageData['lists'];
}): Readonly<Record<string, OpsAnswer>> {
  const { readiness, version, lists } = options;
  const policy = { 'Content-Security-Policy': contentSecurityPolicy('data:') };
  return {
    '/': file('../../ops-page/page.html', 'text/html', policy),
    '/page.js': file('../../ops-page/page.js', 'text/javascript'),
    '/page.css': file('../../ops-page/page.css', 'text/css'),
    '/uplot.js': file(import.meta.resolve('uplot/dist/uPlot.iife.min.js'), 'text/javascript'),
    '/uplot.css': file(import.meta.resolve('uplot/dist/uPlot.min.css'), 'text/css'),
    '/state.json': async () => {
      const [checks, ofDatabase] = await Promise.all([readiness(), lists()]);
      const state = { at: Date.now() / 1_000, readiness: checks, version, ...ofDatabase };
      return { status: 200, body: JSON.stringify(state) };
    },
  };
}

/** Answers with a file. `url` is relative to this module. */
function file(url: string, type: string, headers = {}): OpsAnswer {
  const body = readFileSync(new URL(url, import.meta.url), 'utf8');
  return () => ({ status: 200, contentType: `${type}; charset=utf-8`, body, headers });
}

/** The minimum time between two queries, however often a page is loaded, in milliseconds. */
const betweenLists = 30_000;
const betweenLooks = 5_000;

export type PageData = ReturnType<typeof pageData>;

/** For a service without a database. */
export const nothingToShow: PageData = {
  lists: async () => ({ keys: [], moves: [] }),
  demonstration: async () => undefined,
};

/** What the pages show of the database: null or undefined if it does not answer within the limits of the pool. Nothing rejects. */
export function pageData(pool: Pool, log: Log) {
  const report = throttled(log, 'error');
  const orUndefined = <T>(read: () => Promise<T>) =>
    read().catch((error): undefined => {
      // The page itself shows that the database is unavailable.
      if (error instanceof Unavailable) return;
      report({ event: 'page-failed', err: error }, 'the database does not answer what a page shows');
    });
  return {
    lists: atMostEvery(betweenLists, async () => {
      const lists = await orUndefined(async () => ({
        keys: (await expiringKeys(pool)).map((key) => ({ ...key, name: printable(key.name) })),
        moves: await recentMoves(pool),
      }));
      return lists ?? { keys: null, moves: null };
    }),
    /** The campaign of the demonstration set, if there is one. */
    demonstration: atMostEvery<CampaignId | undefined>(betweenLooks, () =>
      orUndefined(() => demonstrationCampaign(pool)),
    ),
  };
}
