import {
  type DatabaseAddress,
  type HotPathObserver,
  silentHotPathObserver,
} from '@campaign-mirror/adapters-persistence';
import { type Attributes, SpanKind } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions';
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

/**
 * Makes a span of each statement with a recorded trace: within the first such call, and linked with all of its calls,
 * in both directions, where there are several.
 */
export function tracedStatements({ host, port, database }: DatabaseAddress): HotPathObserver {
  const ofDatabase: Attributes = {
    [conventions.ATTR_DB_SYSTEM_NAME]: conventions.DB_SYSTEM_NAME_VALUE_POSTGRESQL,
    [conventions.ATTR_DB_NAMESPACE]: database,
    [conventions.ATTR_SERVER_ADDRESS]: host,
    [conventions.ATTR_SERVER_PORT]: port,
  };
  /** Of the statement that begins next; undefined for a statement of the current call. */
  let next: Askers | undefined;

  const begin = (statement: string, askers: Askers): Begun | undefined => {
    const [first, ...others] = askers.scopes;
    if (!first) return undefined;
    const isShared = askers.calls > 1;
    const attributes = {
      ...ofDatabase,
      [conventions.ATTR_DB_QUERY_SUMMARY]: statement,
      [conventions.ATTR_DB_OPERATION_BATCH_SIZE]: isShared ? askers.calls : undefined,
    };
    const links = isShared ? askers.scopes.map(({ span }) => ({ context: span.spanContext() })) : [];
    const scope = first.begin(statement, { kind: SpanKind.CLIENT, attributes, links });
    for (const { span } of others) span.addLink({ context: scope.span.spanContext() });
    return { scope, askers };
  };

  return {
    ...silentHotPathObserver,
    origin: () => scopes.getStore(),
    batch: (_kind, size, calls) => {
      next = { scopes: calls.map(({ origin }) => origin).filter((one) => one instanceof Scope), calls: size };
    },
    alone: ({ origin }) => {
      next = { scopes: origin instanceof Scope ? [origin] : [], calls: 1 };
    },
    began: (statement) => {
      const asking = scopes.getStore();
      const askers = next ?? { scopes: asking ? [asking] : [], calls: 1 };
      next = undefined;
      return begin(statement, askers);
    },
    ended: (_statement, _milliseconds, begun, error) => {
      if (begun === undefined) return;
      const { scope } = begun as Begun;
      if (error !== undefined)
        scope.span.setAttribute(conventions.ATTR_DB_RESPONSE_STATUS_CODE, errorType(error));
      scope.end(error);
    },
    retried: (statement, begun) =>
      begun === undefined ? undefined : begin(statement, (begun as Begun).askers),
  };
}
