import type { Definitions } from './definition.ts';
import { httpDefinitions } from './http-definitions.ts';
import { issuerDefinitions } from './issuer-definitions.ts';
import { persistenceDefinitions } from './persistence-definitions.ts';
import { processDefinitions } from './process-definitions.ts';
import { serviceDefinitions } from './service-definitions.ts';

/** Every metric. */
export const metrics: Definitions = {
  ...httpDefinitions,
  ...persistenceDefinitions,
  ...issuerDefinitions,
  ...serviceDefinitions,
  ...processDefinitions,
};
