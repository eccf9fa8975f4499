/** What each room of a package's source may import: rooms of its own package, and packages. What is not listed is forbidden. */
export const rooms: Readonly<Record<string, string>> = {
  'domain/values': '',
  'domain/set-campaign-mirror': 'values',
  'domain/operator': 'values set-campaign-mirror',
  'domain/move-mirrors': 'values set-campaign-mirror',
  'domain/import-campaigns': 'values set-campaign-mirror operator',
  // Nothing of ours imports these but the tests: they are for authors of adapters.
  'domain/contracts': 'values set-campaign-mirror operator',

  'adapters-http/answers': '@campaign-mirror/domain valibot',
  'adapters-http/messages': 'answers @campaign-mirror/domain valibot',
  'adapters-http/chain': 'answers @campaign-mirror/domain koa @koa/cors proxy-addr',
  'adapters-http/routes':
    'answers messages chain @campaign-mirror/domain content-type koa @koa/router koa-bodyparser swagger-ui-dist',
  'adapters-http/listener': 'answers chain',

  'adapters-persistence/schema': '@campaign-mirror/domain @mikro-orm/core @mikro-orm/migrations',
  'adapters-persistence/connection':
    'schema @campaign-mirror/domain @mikro-orm/core @mikro-orm/migrations @mikro-orm/postgresql pg',
  'adapters-persistence/statements': 'schema connection @campaign-mirror/domain',
  'adapters-persistence/hot-path': 'schema connection statements @campaign-mirror/domain lru-cache',
  'adapters-persistence/operator':
    'schema connection statements @campaign-mirror/domain @mikro-orm/postgresql',
  'adapters-persistence/bulk': 'schema connection statements @campaign-mirror/domain pg-copy-streams',
  'adapters-persistence/migration': 'schema connection @campaign-mirror/domain',
  'adapters-persistence/in-memory': 'schema @campaign-mirror/domain',

  'adapters-jwt/tokens': '@campaign-mirror/domain jose lru-cache',

  'embedded-postgres/programs': '',
  'embedded-postgres/cluster': 'programs',
  'embedded-postgres/server': 'programs cluster',

  'adapters-cli/terminal':
    '@campaign-mirror/domain @commander-js/extra-typings @inquirer/confirm @inquirer/password cli-progress cli-table3',
  'adapters-cli/words': 'terminal @campaign-mirror/domain',
  'adapters-cli/commands': 'terminal words @campaign-mirror/domain @commander-js/extra-typings',
  'adapters-cli/import-export': 'terminal words commands @campaign-mirror/domain csv-parse csv-stringify',

  'app/logging':
    '@campaign-mirror/adapters-cli @campaign-mirror/adapters-persistence @opentelemetry/api pino pino-pretty',
  'app/process':
    'logging @campaign-mirror/adapters-cli @campaign-mirror/adapters-http @campaign-mirror/adapters-persistence @opentelemetry/api @opentelemetry/instrumentation-http @opentelemetry/instrumentation-koa @opentelemetry/instrumentation-pg @opentelemetry/sdk-node',
  'app/settings':
    '@campaign-mirror/adapters-cli @campaign-mirror/adapters-http @campaign-mirror/adapters-persistence @campaign-mirror/domain pg-connection-string valibot',
  'app/database':
    'logging settings @campaign-mirror/adapters-cli @campaign-mirror/adapters-persistence @campaign-mirror/domain @campaign-mirror/embedded-postgres pg',
  'app/metrics': 'process @campaign-mirror/adapters-http @campaign-mirror/adapters-persistence prom-client',
  'app/ops-page':
    'logging process @campaign-mirror/adapters-http @campaign-mirror/adapters-persistence @campaign-mirror/domain pg uplot',
  'app/http':
    'logging process settings @campaign-mirror/adapters-cli @campaign-mirror/adapters-http @campaign-mirror/adapters-jwt @campaign-mirror/domain ioredis lru-cache rate-limiter-flexible',
  'app/wiring':
    'logging process settings database metrics ops-page http @campaign-mirror/adapters-http @campaign-mirror/adapters-persistence @campaign-mirror/domain inversify prom-client',
  'app/operator':
    'logging settings database @campaign-mirror/adapters-cli @campaign-mirror/adapters-persistence @campaign-mirror/domain',
  'app/service':
    'logging process settings database http metrics wiring operator @campaign-mirror/adapters-cli @campaign-mirror/adapters-persistence inversify reflect-metadata',
  'app/administration':
    'settings database http operator @campaign-mirror/adapters-cli @campaign-mirror/adapters-jwt @campaign-mirror/adapters-persistence',
  'app/command-line':
    'logging process operator administration @campaign-mirror/adapters-cli commander @commander-js/extra-typings',
};

/** A room that only says types of these imports no more than types. */
export const typesOf: readonly string[] = ['pg', 'pino'];
