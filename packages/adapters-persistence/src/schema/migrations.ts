import { Migration } from '@mikro-orm/migrations';
import { auditTriggers } from './audit-triggers.ts';
import { changesSince, countClicks, transactionOfAChange } from './feed.ts';
import { appendOnly, pruning } from './history-functions.ts';
import { migrationNames } from './schema.ts';
import { setMirrorsFunctions } from './set-mirrors.ts';
import { mirrorFacts, tables } from './tables.ts';

/** Everything in the schema except the table of migrations, which the migrator creates. */
export class InitialMigration extends Migration {
  override up(): void {
    for (const part of [tables, mirrorFacts, appendOnly, auditTriggers, pruning, setMirrorsFunctions])
      this.addSql(part);
  }
}

/** The feed of changes, and the counting of clicks. */
export class FeedMigration extends Migration {
  override up(): void {
    for (const part of [transactionOfAChange, changesSince, countClicks]) this.addSql(part);
  }
}

const classes = {
  '0001-mirrors-with-facts': InitialMigration,
  '0002-feed-and-clicks': FeedMigration,
} satisfies Record<(typeof migrationNames)[number], unknown>;

/** In the form that the migrator expects. */
export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
