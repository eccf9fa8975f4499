import { Migration } from '@mikro-orm/migrations';

/**
 * Callers that are known otherwise than by an access key. A row's subject is its key's number, or, for an actor that is
 * neither `key` nor `operator`, the name in `subject`. Rows of before need no change, and the condition that is dropped
 * implied the new one for them: nothing is rewritten or scanned, so that writers are blocked for a moment only.
 */
export class SubjectsMigration extends Migration {
  override up(): void {
    this.addSql(`
      alter table campaign_mirror.mirror_history
        add column subject text,
        drop constraint mirror_history_actor_check,
        add constraint mirror_history_subject_check
          check ((subject is not null) = (actor not in ('key', 'operator'))) not valid`);
  }
}
