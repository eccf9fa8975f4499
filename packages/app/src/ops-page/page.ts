import { readFileSync } from 'node:fs';
import { contentSecurityPolicy, type Page, page } from '@campaign-mirror/adapters-http/service';

/** The page for operators, by the paths of its files. It reads `/readyz` and `/metrics`, and keeps what it has seen. */
export function opsPage(): Readonly<Record<string, Page>> {
  const own = (name: string) => readFileSync(new URL(`../../ops-page/${name}`, import.meta.url));
  return {
    '/': page('text/html', own('page.html'), { 'Content-Security-Policy': contentSecurityPolicy('data:') }),
    '/page.js': page('text/javascript', own('page.js')),
    '/page.css': page('text/css', own('page.css')),
  };
}
