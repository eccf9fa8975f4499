import { readFileSync } from 'node:fs';
import { contentSecurityPolicy, type OpsAnswer } from '@campaign-mirror/adapters-http/service';

/** The page for operators, by the paths of its files. It reads `/readyz` and `/metrics`, and keeps what it has seen. */
export function opsPage(): Readonly<Record<string, OpsAnswer>> {
  const policy = { 'Content-Security-Policy': contentSecurityPolicy('data:') };
  return {
    '/': file('page.html', 'text/html', policy),
    '/page.js': file('page.js', 'text/javascript'),
    '/page.css': file('page.css', 'text/css'),
  };
}

function file(name: string, type: string, headers = {}): OpsAnswer {
  const body = readFileSync(new URL(`../../ops-page/${name}`, import.meta.url), 'utf8');
  return () => ({ status: 200, contentType: `${type}; charset=utf-8`, body, headers });
}
