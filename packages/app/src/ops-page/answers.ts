import { readFileSync } from 'node:fs';
import { contentSecurityPolicy, faults, type OpsAnswer, type Reply } from '@campaign-mirror/adapters-http';
import { checksInTime, type Health } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { pageOf } from './html.ts';
import type { RecentMoments } from './recent-moments.ts';
import { type View, viewOf } from './view.ts';

/** The page for operators: its files by their paths. */
export function opsPage(
  { readiness, liveness }: Health,
  recent: Pick<RecentMoments, 'all'>,
  counted: boolean,
  failed: (error: unknown) => void,
): Readonly<Record<string, OpsAnswer>> {
  const runs = version();
  const file = (name: string, contentType: string): OpsAnswer => {
    const body = readFileSync(new URL(`../../ops-page/${name}`, import.meta.url), 'utf8');
    return () => ({ status: 200, contentType, body });
  };
  const seen = (reply: (view: View) => Reply): OpsAnswer => {
    return async () => {
      try {
        const checks = await checksInTime(readiness());
        return reply(viewOf({ readiness: checks, liveness: liveness(), version: runs, moments: recent.all }));
      } catch (error) {
        failed(error);
        return faults.unexpected;
      }
    };
  };
  return {
    '/': seen((view) => ({
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: pageOf(view, counted),
      headers: { 'Content-Security-Policy': contentSecurityPolicy('data:') },
    })),
    '/state.json': seen((view) => ({ status: 200, body: JSON.stringify(view) })),
    '/page.js': file('page.js', 'text/javascript; charset=utf-8'),
    '/page.css': file('page.css', 'text/css; charset=utf-8'),
  };
}
