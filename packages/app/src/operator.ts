import {
  type Database,
  defaultPoolLimits,
  openDatabase,
  PostgresAccessKeys,
  PostgresDemonstration,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import type { AccessKeys, CampaignSettings } from '@campaign-mirror/domain';
import type { DatabaseAccess } from './database-access.ts';

/** What the operator's commands act on. */
export interface Operator {
  readonly campaigns: CampaignSettings;
  readonly keys: AccessKeys;
  readonly demonstration: PostgresDemonstration;
}

/** Lets the operator act, as the operator's role, then lets go of the database. */
export async function asOperator<T>(
  access: DatabaseAccess,
  act: (operator: Operator) => Promise<T>,
): Promise<T> {
  const limits = { ...defaultPoolLimits, size: 2 };
  const database: Database = await openDatabase(
    access.address('operator'),
    limits,
    'campaign-mirror operator',
  );
  try {
    const { orm } = database;
    return await act({
      campaigns: new PostgresSettings(orm),
      keys: new PostgresAccessKeys(orm),
      demonstration: new PostgresDemonstration(orm),
    });
  } finally {
    await database.close();
  }
}
