import type { OperatorAct } from '@campaign-mirror/domain';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import type { AuditNote } from '../schema/audit-note.ts';
import { OperatorAuditEntity } from '../schema/entities.ts';
import { ormFault } from './orm-faults.ts';

/** Whatever the database's own default is: who has waited for a lock looks at what the other has committed. */
const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/**
 * Runs an act of the operator in one transaction with what it notes in the audit: both take effect, or neither.
 * @throws Unavailable when the database went away: the outcome is unknown then
 */
export async function audited<T>(
  orm: MikroORM,
  { operator, requestId }: OperatorAct,
  run: (em: EntityManager, note: (note: AuditNote) => Promise<void>) => Promise<T>,
): Promise<T> {
  try {
    return await orm.em.fork().transactional(
      (em) =>
        run(em, async ({ details, ...note }) => {
          await em.insert(OperatorAuditEntity, { ...note, details: details ?? {}, operator, requestId });
        }),
      { isolationLevel },
    );
  } catch (error) {
    throw ormFault(error);
  }
}
