import { databaseFaults } from './database-faults.ts';
import type { Fault } from './fault.ts';
import { networkFaults } from './network-faults.ts';
import { serviceFaults } from './service-faults.ts';

export const faults = {
  ...databaseFaults,
  ...networkFaults,
  ...serviceFaults,
} satisfies Record<string, Fault>;
