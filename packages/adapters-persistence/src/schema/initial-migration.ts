import { Migration } from '@mikro-orm/migrations';
import { auditTriggers } from './audit-triggers.ts';
import { appendOnly, pruning } from './history-functions.ts';
import { setMirrorsFunctions } from './set-mirrors.ts';
import { mirrorFacts, tables } from './tables.ts';

/** Everything in the schema but the table of migrations, which the migrator makes. */
export class InitialMigration extends Migration {
  override up(): void {
    for (const part of [tables, mirrorFacts, appendOnly, auditTriggers, pruning, setMirrorsFunctions])
      this.addSql(part);
  }
}
