import { clientFaults } from './client-faults.ts';
import { clockFaults } from './clock-faults.ts';
import { databaseFaults } from './database-faults.ts';
import type { Fault } from './fault.ts';
import { networkFaults } from './network-faults.ts';
import { serviceFaults } from './service-faults.ts';

export const faults = {
  ...databaseFaults,
  ...networkFaults,
  ...serviceFaults,
  ...clientFaults,
  ...clockFaults,
} satisfies Record<string, Fault>;
