import { readFileSync } from 'node:fs';
import { type Checks, contentSecurityPolicy, type OpsAnswer } from '@campaign-mirror/adapters-http';
import type { PageData } from './page-data.ts';

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
