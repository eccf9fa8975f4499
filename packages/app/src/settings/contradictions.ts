import type { Mistake } from './setting-mistake.ts';
import type { SettingName, Settings } from './settings.ts';
import { leastPoolSize } from './worker-count.ts';
import { yourDatabaseFaults } from './your-database.ts';

/** Settings that are valid individually, but not together. */
export function contradictions(read: Settings): Mistake[] {
  const found: Mistake[] = [];
  const must = (isRight: boolean, about: readonly SettingName[], line: string) => {
    if (!isRight) found.push({ about, line });
  };
  const { HOST, PORT, OPS_HOST, OPS_PORT, WORKERS } = read;
  const isApart = PORT === 0 || PORT !== OPS_PORT || HOST !== OPS_HOST;
  must(isApart, ['PORT', 'OPS_PORT'], `PORT and OPS_PORT must differ, both are ${PORT}`);
  must(
    read.QUERY_TIMEOUT > read.STATEMENT_TIMEOUT,
    ['QUERY_TIMEOUT', 'STATEMENT_TIMEOUT'],
    'QUERY_TIMEOUT must be above STATEMENT_TIMEOUT',
  );
  must(
    read.REQUEST_TIMEOUT >= read.HEADERS_TIMEOUT,
    ['REQUEST_TIMEOUT', 'HEADERS_TIMEOUT'],
    'REQUEST_TIMEOUT must not be below HEADERS_TIMEOUT',
  );
  const least = leastPoolSize(WORKERS);
  must(
    read.POOL_SIZE >= least,
    ['POOL_SIZE', 'WORKERS'],
    `POOL_SIZE must be at least ${least} with WORKERS=${WORKERS}: a connection for each, and one for a restart`,
  );
  return [...found, ...tokenFaults(read), ...yourDatabaseFaults(read)];
}

const neededForTokens = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const;

function tokenFaults(read: Settings): Mistake[] {
  if (read.IDENTITY === 'keys') return [];
  return neededForTokens
    .filter((name) => read[name] === undefined)
    .map((name) => ({ about: [name, 'IDENTITY'], line: `IDENTITY=${read.IDENTITY} needs ${name}` }));
}
