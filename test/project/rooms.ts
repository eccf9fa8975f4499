/** Which rooms of its own package each room may import: what is not listed is forbidden. What a package may import, biome.json says. */
export const rooms: Readonly<Record<string, string>> = {
  'domain/values': '',
  'domain/set-campaign-mirror': 'values',
  'domain/operator': 'values set-campaign-mirror',
  'domain/move-mirrors': 'values set-campaign-mirror',
  'domain/import-campaigns': 'values set-campaign-mirror operator',
  // Nothing of ours imports these but the tests: they are for authors of adapters.
  'domain/contracts': 'values set-campaign-mirror operator',

  'adapters-http/answers': '',
  'adapters-http/messages': 'answers',
  'adapters-http/chain': 'answers',
  'adapters-http/routes': 'answers messages chain',
  'adapters-http/listener': 'answers chain',

  'adapters-persistence/schema': '',
  'adapters-persistence/connection': 'schema',
  'adapters-persistence/statements': 'schema connection',
  'adapters-persistence/hot-path': 'schema connection statements',
  'adapters-persistence/operator': 'schema connection statements',
  'adapters-persistence/bulk': 'schema connection statements',
  'adapters-persistence/migration': 'schema connection',
  'adapters-persistence/in-memory': 'schema',

  'adapters-jwt/tokens': '',

  'embedded-postgres/programs': '',
  'embedded-postgres/cluster': 'programs',
  'embedded-postgres/server': 'programs cluster',

  'adapters-cli/terminal': '',
  'adapters-cli/words': 'terminal',
  'adapters-cli/commands': 'terminal words',
  'adapters-cli/import-export': 'terminal words commands',

  'app/logging': '',
  'app/process': 'logging',
  'app/settings': '',
  'app/database': 'logging settings',
  'app/metrics': 'process',
  'app/ops-page': '',
  'app/http': 'logging process settings',
  'app/wiring': 'logging process settings database metrics ops-page http',
  'app/operator': 'logging settings database',
  'app/service': 'logging process settings database http metrics wiring operator',
  'app/administration': 'settings database http operator',
  'app/command-line': 'logging process operator administration',
};
