import type { Mistake } from './setting-mistake.ts';
import type { Settings } from './settings.ts';
import { leastPoolSize } from './worker-count.ts';
import { yourDatabaseFaults } from './your-database.ts';

/** Settings that are valid individually, but not together. */
export function contradictions(read: Settings): Mistake[] {
  const found: Mistake[] = [];
  if (read.PORT !== 0 && read.PORT === read.OPS_PORT && read.HOST === read.OPS_HOST) {
    found.push({
      about: ['PORT', 'OPS_PORT'],
      line: `PORT and OPS_PORT must differ, both are ${read.PORT}`,
    });
  }
  if (read.QUERY_TIMEOUT <= read.STATEMENT_TIMEOUT) {
    found.push({
      about: ['QUERY_TIMEOUT', 'STATEMENT_TIMEOUT'],
      line: 'QUERY_TIMEOUT must be above STATEMENT_TIMEOUT',
    });
  }
  if (read.REQUEST_TIMEOUT < read.HEADERS_TIMEOUT) {
    found.push({
      about: ['REQUEST_TIMEOUT', 'HEADERS_TIMEOUT'],
      line: 'REQUEST_TIMEOUT must not be below HEADERS_TIMEOUT',
    });
  }
  const least = leastPoolSize(read.WORKERS);
  if (read.POOL_SIZE < least) {
    const line = `POOL_SIZE must be at least ${least} with WORKERS=${read.WORKERS}: a connection for each, and one for a restart`;
    found.push({ about: ['POOL_SIZE', 'WORKERS'], line });
  }
  return [...found, ...tokenFaults(read), ...yourDatabaseFaults(read)];
}

const neededForTokens = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const;

function tokenFaults(read: Settings): Mistake[] {
  if (read.IDENTITY === 'keys') return [];
  return neededForTokens
    .filter((name) => read[name] === undefined)
    .map((name) => ({ about: [name, 'IDENTITY'], line: `IDENTITY=${read.IDENTITY} needs ${name}` }));
}
