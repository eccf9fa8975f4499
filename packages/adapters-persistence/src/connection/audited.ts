import type { OperatorAct } from '@campaign-mirror/domain/operator';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { throwFault } from './database-faults.ts';

/** Whatever the database's default is: a transaction that waited for a lock must see what the other one committed. */
export const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/** Reads the database as it is at one moment. @throws Unavailable */
export const reading = <T>(orm: MikroORM, read: (em: EntityManager) => Promise<T>): Promise<T> =>
  orm.em
    .fork()
    .transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
    .catch(throwFault);

/** An adapter whose acts the database records in the audit. */
export abstract class AuditedAdapter {
  protected readonly orm: MikroORM;
  readonly #variables: Readonly<Record<string, string>>;

  /** `orm`: of `openDatabase`. */
  constructor(orm: MikroORM, { operator, requestId }: OperatorAct) {
    this.orm = orm;
    this.#variables = { 'campaign_mirror.operator': operator, 'campaign_mirror.request_id': requestId };
  }

  /**
   * Runs an act of the operator in one transaction, in which the database also records it in the audit.
   * @throws Unavailable when the connection is lost: the outcome is unknown then
   */
  protected audited<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    const em = this.orm.em.fork({ session: { variables: this.#variables } });
    return em.transactional(run, { isolationLevel }).catch(throwFault);
  }
}
