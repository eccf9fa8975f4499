import { transactionOfAChange, transactionsAhead } from './feed.ts';
import {
  hostsOfKeys,
  nothingFromBefore,
  promisesKept,
  sequencesBehind,
  tables,
  textsExaminedTogether,
} from './tables.ts';

/**
 * Every version of the schema, in order; a released one never changes. Tables, views, indexes and constraints. Functions
 * and triggers have one text for all versions, in `enforced.ts`, which is applied after the migrations.
 */
export const migrations: Readonly<Record<string, string>> = {
  '0001-mirrors-with-facts': tables,
  '0002-feed-and-clicks': transactionOfAChange,
  '0003-promises-kept': promisesKept,
  '0004-conditions-and-hosts': hostsOfKeys,
  '0005-texts-examined-together': textsExaminedTogether,
  '0006-sequences-behind': sequencesBehind,
  '0007-first-release': `${transactionsAhead}${nothingFromBefore}`,
};

/** Of every migration, in order. */
export const migrationNames = Object.keys(migrations);
