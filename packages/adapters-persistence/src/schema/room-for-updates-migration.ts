import { Migration } from '@mikro-orm/migrations';

/**
 * Leaves a tenth of each page of the mirrors free, so that a row's next version fits beside it and no index is written
 * (PostgreSQL, section 66.7, Heap-Only Tuples). Full pages stay full until their table is rewritten.
 */
export class RoomForUpdatesMigration extends Migration {
  override up(): void {
    this.addSql('alter table campaign_mirror.mirrors set (fillfactor = 90)');
  }
}
