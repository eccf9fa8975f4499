import type {
  BatchKind,
  Call,
  DatabaseAddress,
  HotPathObserver,
} from '@campaign-mirror/adapters-persistence';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import {
  ATTR_DB_NAMESPACE,
  ATTR_DB_OPERATION_BATCH_SIZE,
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_RESPONSE_STATUS_CODE,
  ATTR_DB_SYSTEM_NAME,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from '@opentelemetry/semantic-conventions';
import { Scope, scopes } from './scope.ts';
import { errorType } from './span-errors.ts';

/** The calls of a statement: those whose traces are recorded, and the number of all. */
interface Askers {
  readonly scopes: readonly Scope[];
  readonly calls: number;
}

interface Begun {
  readonly scope: Scope;
  readonly askers: Askers;
}

const nobody: Askers = { scopes: [], calls: 0 };

/**
 * Makes a span of each statement with a recorded trace: within the first such call, and linked with all of its calls,
 * in both directions, where there are several.
 */
export class TracedStatements implements HotPathObserver {
  readonly #database: Attributes;
  /** Of the statement that begins next; undefined for a statement of the current call. */
  #next: Askers | undefined;

  constructor({ host, port, database }: DatabaseAddress) {
    this.#database = {
      [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
      [ATTR_DB_NAMESPACE]: database,
      [ATTR_SERVER_ADDRESS]: host,
      [ATTR_SERVER_PORT]: port,
    };
  }

  origin(): unknown {
    return scopes.getStore();
  }

  batch(_kind: BatchKind, size: number, calls: readonly Call[]): void {
    this.#next = nobody;
    for (const { origin } of calls) {
      if (!(origin instanceof Scope)) continue;
      const before: readonly Scope[] = this.#next.scopes;
      this.#next = { scopes: [...before, origin], calls: size };
    }
  }

  alone({ origin }: Call): void {
    this.#next = origin instanceof Scope ? { scopes: [origin], calls: 1 } : nobody;
  }

  began(statement: string): unknown {
    const askers = this.#next ?? asking();
    this.#next = undefined;
    return this.#begin(statement, askers);
  }

  ended(_statement: string, _milliseconds: number, begun: unknown, error?: unknown): void {
    if (begun !== undefined) end(begun as Begun, error);
  }

  retried(statement: string, begun: unknown): unknown {
    return begun === undefined ? undefined : this.#begin(statement, (begun as Begun).askers);
  }

  splitUp(): void {}
  refused(): void {}
  setAside(): void {}
  judgedAgain(): void {}

  #begin(statement: string, askers: Askers): Begun | undefined {
    const [first, ...others] = askers.scopes;
    if (!first) return undefined;
    const isShared = askers.calls > 1;
    const attributes = {
      ...this.#database,
      [ATTR_DB_QUERY_SUMMARY]: statement,
      [ATTR_DB_OPERATION_BATCH_SIZE]: isShared ? askers.calls : undefined,
    };
    const links = isShared ? askers.scopes.map(({ span }) => ({ context: span.spanContext() })) : [];
    const scope = first.begin(statement, { kind: SpanKind.CLIENT, attributes, links });
    for (const { span } of others) span.addLink({ context: scope.span.spanContext() });
    return { scope, askers };
  }
}

function asking(): Askers {
  const scope = scopes.getStore();
  return scope ? { scopes: [scope], calls: 1 } : nobody;
}

function end({ scope }: Begun, error: unknown): void {
  if (error !== undefined) scope.span.setAttribute(ATTR_DB_RESPONSE_STATUS_CODE, errorType(error));
  scope.end(error);
}
