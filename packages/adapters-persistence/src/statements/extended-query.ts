import type { Connection, Submittable } from 'pg';
import { leavesConnection } from '../connection/database-faults.ts';

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
 * the names and types of the columns with every call, and parses each value by its type. They are known here, so that
 * neither is needed.
 */
export class ExtendedQuery implements Submittable {
  /** Empty where no statement is kept on the connection. The driver reads it. */
  readonly name: string;
  readonly text: string;
  readonly rows: TextRow[] = [];
  /** The server's error, where the connection can be used again: the pool closes one that reports an error. */
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
    // All of it in one write.
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
