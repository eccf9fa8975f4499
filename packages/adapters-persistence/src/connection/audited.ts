import type { OperatorAct } from '@campaign-mirror/domain';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import type { AuditNote } from '../schema/audit-note.ts';
import { OperatorAuditEntity } from '../schema/entities.ts';
import { ormFault } from './orm-faults.ts';

/** Whatever the database's default is: a transaction that waited for a lock must see what the other one committed. */
const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/**
 * Runs an act of the operator and its audit entry in one transaction: both take effect, or neither.
 * @throws Unavailable when the connection is lost: the outcome is unknown then
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
