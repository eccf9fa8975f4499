import type { MigrationObject } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { transactionOfAChange } from './feed.ts';
import { numberRanges } from './numbers.ts';
import { migrationNames } from './schema.ts';
import { deniedHosts, hostsOfKeys, promisesKept, tables, textsExaminedTogether } from './tables.ts';

/**
 * Tables, views, indexes and constraints. Functions and triggers have one text for all versions, in `enforced.ts`, which is
 * applied after the migrations, as is the table of migrations before them.
 */
const texts = {
  '0001-mirrors-with-facts': tables,
  '0002-feed-and-clicks': transactionOfAChange,
  '0003-promises-kept': promisesKept,
  '0004-conditions-and-hosts': hostsOfKeys,
  '0005-texts-examined-together': textsExaminedTogether,
  '0006-range-of-numbers': numberRanges,
  '0007-denied-hosts': deniedHosts,
} satisfies Record<(typeof migrationNames)[number], string>;

/** In the form that the migrator expects. */
export const migrations: readonly MigrationObject[] = migrationNames.map((name) => ({
  name,
  class: class extends Migration {
    override up(): void {
      this.addSql(texts[name]);
    }
  },
}));
