import { type OperatorAct, Unavailable } from '@campaign-mirror/domain';
import { DriverException } from '@mikro-orm/core';
import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { type AuditNote, noteText, noteValues } from '../schema/audit-note.ts';
import { portFault } from './database-faults.ts';

/** Whatever the database's default is: a transaction that waited for a lock must see what the other one committed. */
export const { READ_COMMITTED: isolationLevel } = IsolationLevel;

/** Records an act in the transaction that it takes part in. */
export type Noting = (note: AuditNote) => Promise<void>;

const insertNote = noteText('?', '?', '?', '?', '?', '?', '?');

/** An adapter that acts through MikroORM; `act` is in whose name it does. */
export class AuditedAdapter {
  protected readonly orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.orm = orm;
    this.#act = act;
  }

  /**
   * Runs an act of the operator and its audit entry in one transaction: both take effect, or neither.
   * @throws Unavailable when the connection is lost: the outcome is unknown then
   */
  protected async audited<T>(run: (em: EntityManager, note: Noting) => Promise<T>): Promise<T> {
    try {
      return await this.orm.em
        .fork()
        .transactional(
          (em) => run(em, async (note) => void (await em.execute(insertNote, noteValues(this.#act, note)))),
          { isolationLevel },
        );
    } catch (error) {
      throw ormFault(error);
    }
  }
}

/** What a port throws for a fault wrapped by MikroORM, whose class hides that the driver's error had no code. */
export function ormFault(error: unknown): unknown {
  if (error instanceof DriverException && error.code === undefined) {
    return new Unavailable('the database did not answer', { cause: error });
  }
  return portFault(error);
}
