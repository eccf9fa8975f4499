import type { Connection, Pool, Submittable } from 'pg';
import { isRetryable, isStalePlan, leavesConnection, portFault } from '../connection/database-faults.ts';

/** What is batched: look-ups of keys and campaigns, or updates of mirrors. */
export type BatchKind = 'look-up' | 'update';

/**
 * Observes what the hot path does at the database, for metrics. The app implements it. It is called with every
 * statement, so it has to be cheap. It must not throw: an exception fails the calls concerned.
 */
export interface HotPathObserver {
  /** This many calls form a batch. */
  batch(kind: BatchKind, size: number): void;
  /**
   * A statement was answered after this many milliseconds, including the wait for a connection, or failed with this error
   * of the driver.
   */
  ended(statement: string, milliseconds: number, error?: unknown): void;
  /** A statement is run again, because PostgreSQL ended it in favor of another transaction, or its plan was stale. */
  retried(statement: string): void;
  /** The members of a batch run one by one, after a fault that one of them may have caused for all. */
  splitUp(kind: BatchKind): void;
  /**
   * PostgreSQL rejected a batch's statement itself, whatever its values, such as for a missing right: an error in this
   * program or its setup.
   */
  refused(statement: string, error: unknown): void;
  /** An update leaves its batch: its campaign or mirror is locked. */
  setAside(): void;
  /** A campaign changed while an update waited for its row: nothing was set, and it is judged again. */
  judgedAgain(): void;
}

/** Observes nothing. */
export const silentHotPathObserver: HotPathObserver = {
  batch: () => {},
  ended: () => {},
  retried: () => {},
  splitUp: () => {},
  refused: () => {},
  setAside: () => {},
  judgedAgain: () => {},
};

/** A value for a placeholder; the server parses all but bytes from text. */
export type Value = string | number | boolean | Buffer | null;

/** A row as the server sends it: each column in PostgreSQL's text form (`t` and `f` for a boolean), or null. */
export type TextRow = readonly (string | null)[];

type Sent = string | Buffer | null;

/** Members of the driver's connection that its types leave out. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** Texts by statement name: what the server has parsed on this connection and keeps, which has a name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(statement: { name: string; text: string; types: [] }): void;
  bind(call: { statement: string; values: readonly Sent[] }): void;
  execute(portal: object): void;
  sync(): void;
  sendCopyFail(message: string): void;
}

/**
 * One call of a statement by the extended query protocol (PostgreSQL, section 54.2.3). The driver's own query requests
 * the names and types of the columns with every call, and parses each value by its type. They are known here, so
 * neither is needed.
 */
export class ExtendedQuery implements Submittable {
  /** Empty if the statement is not kept on the connection. The driver reads it. */
  readonly name: string;
  readonly text: string;
  readonly rows: TextRow[] = [];
  /** The server's error, if the connection can be used again: the pool closes a connection that reports an error. */
  fault: unknown;
  /** Set by the driver. */
  callback: ((error: unknown, query?: ExtendedQuery) => void) | undefined;
  readonly #values: readonly Sent[];

  /** @throws TypeError for a value of another type: an error thrown in `submit` might not be caught */
  constructor(name: string, text: string, values: readonly Value[]) {
    this.name = name;
    this.text = text;
    this.#values = values.map(asSent);
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    const { name, text } = this;
    // The stream sends all messages in one write.
    wire.stream.cork();
    if (wire.parsedStatements[name] !== text) wire.parse({ name, text, types: [] });
    wire.bind({ statement: name, values: this.#values });
    wire.execute({});
    wire.sync();
    wire.stream.uncork();
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.rows.push(fields);
  }

  handleError(error: unknown): void {
    if (leavesConnection(error)) {
      this.fault = error;
      this.callback?.(null, this);
    } else this.callback?.(error);
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this);
  }

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as Wire).sendCopyFail('COPY is not supported here');
  }

  // The driver's other callbacks add nothing to the rows and their end.
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}

function asSent(value: Value): Sent {
  if (typeof value === 'string' || value === null || Buffer.isBuffer(value)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`a value of the type ${typeof value} cannot be sent`);
}

/** A statement of the hot path: parsed and planned once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Runs statements on the pool. Each is a transaction of its own, which ends with its connection. It is run again if
 * PostgreSQL ended it in favor of another, or its plan was stale.
 */
export class Statements {
  readonly #pool: Pool;
  readonly #prepared: boolean;
  readonly #observer: HotPathObserver;

  /** `prepared: false` for a pooler in transaction mode without prepared statements. */
  constructor(pool: Pool, { prepared = true } = {}, observer: HotPathObserver = silentHotPathObserver) {
    this.#pool = pool;
    this.#prepared = prepared;
    this.#observer = observer;
  }

  /**
   * Each row is the array of its columns, in PostgreSQL's text form.
   * @throws Unavailable when the connection is lost: the outcome of the statement is unknown then
   */
  async run<Row extends TextRow>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
    try {
      return await this.#query<Row>(statement, values, this.#prepared);
    } catch (error) {
      if (!isRetryable(error) && !isStalePlan(error)) throw portFault(error);
    }
    this.#observer.retried(statement.name);
    try {
      // Any connection of the pool may have an equally stale plan: this time the text is parsed.
      return await this.#query<Row>(statement, values, false);
    } catch (error) {
      throw portFault(error);
    }
  }

  async #query<Row extends TextRow>(
    { name, text }: Statement,
    values: readonly Value[],
    prepared: boolean,
  ): Promise<Row[]> {
    const since = performance.now();
    try {
      // The pool answers a query with the query's own result, which the driver's types leave out.
      const { rows, fault } = await this.#pool.query(new ExtendedQuery(prepared ? name : '', text, values));
      if (fault !== undefined) throw fault;
      this.#observer.ended(name, performance.now() - since);
      return rows as readonly TextRow[] as Row[];
    } catch (error) {
      this.#observer.ended(name, performance.now() - since, error);
      throw error;
    }
  }
}
