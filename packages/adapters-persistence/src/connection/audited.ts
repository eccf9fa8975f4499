import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import { DriverException } from '@mikro-orm/core';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { portFault } from './database-faults.ts';
import { actingText, actingValues } from './transaction.ts';

/** Whatever the database's default is: a transaction that waited for a lock must see what the other one committed. */
export const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/** With the placeholders of MikroORM. */
const acting = actingText.replaceAll(/\$\d/g, '?');

/** An adapter that acts through the MikroORM of `openDatabase`. */
export class AuditedAdapter {
  protected readonly orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.orm = orm;
    this.#act = act;
  }

  /**
   * Runs an act of the operator in one transaction, in which the database also records it in the audit.
   * @throws Unavailable when the connection is lost: the outcome is unknown then
   */
  protected async audited<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.orm.em.fork().transactional(
        async (em) => {
          await this.actingWith(em);
          return run(em);
        },
        { isolationLevel },
      );
    } catch (error) {
      throw ormFault(error);
    }
  }

  /** Sets who acts, and the details that the following entries of the transaction have besides those of the rows. */
  protected async actingWith(em: EntityManager, details?: Readonly<Record<string, number>>): Promise<void> {
    await em.execute(acting, actingValues(this.#act, details));
  }
}

/** What a port throws for a fault wrapped by MikroORM, whose class hides that the driver's error had no code. */
export function ormFault(error: unknown): unknown {
  if (error instanceof DriverException && error.code === undefined) {
    return new Unavailable('the database did not answer', { cause: error });
  }
  return portFault(error);
}
