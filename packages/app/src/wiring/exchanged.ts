import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Middleware } from '@campaign-mirror/adapters-http';
import { withTimeLimit } from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';
import {
  type BindToFluentSyntax,
  type Container,
  ContainerModule,
  type ResolutionContext,
  type ServiceIdentifier,
} from 'inversify';
import * as v from 'valibot';
import { type PartName, partNames, tokens } from './tokens.ts';

const method = v.function();
const rate = v.object({ limit: v.number(), seconds: v.number() });
const limiter = v.optional(v.object({ rate, count: method }));
const application = v.object({ callback: method });

/** What each part must have: without it, every call would be 500. */
const shapes: Readonly<Record<PartName, v.GenericSchema>> = {
  campaignRepository: v.object({ find: method, setMirror: method }),
  identity: v.object({ whoIs: method }),
  useCase: v.object({ identify: method, execute: method }),
  callLimiter: limiter,
  failedKeyLimiter: limiter,
  middleware: v.array(method),
  metrics: v.object({ getMetricsAsArray: method }),
  application,
  opsApplication: application,
};

/**
 * From now on a part that a module exchanged fits, and its answers are limited in time; `isOurs` tells which are not
 * exchanged. `made` is told of each. @throws ClearError if a module has bound a misspelt token, which is undefined
 */
export function checkExchanged(
  container: Container,
  isOurs: (part: unknown) => boolean,
  statementTime: number,
  made: (name: PartName) => void,
): void {
  if (container.isBound(undefined as unknown as ServiceIdentifier))
    throw new ClearError(`a module binds a token other than ${partNames.join(', ')}`);
  for (const name of partNames)
    container.onActivation<unknown>(tokens[name], (_, part) => {
      made(name);
      if (isOurs(part)) return part;
      const [issue] = v.safeParse(shapes[name], part).issues ?? [];
      if (!issue) return limited(name, part, statementTime);
      const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
      throw new ClearError(`${path} does not fit: ${issue.message}`);
    });
}

/** What an error of inversify means for whoever wrote a module. */
export function explained(error: unknown): unknown {
  const [, kind, path = ''] = /^\w*: (ambiguous|circular)(.*)/is.exec(String(error)) ?? [];
  const names = Array.from(path.matchAll(/Symbol\((\w+)\)/g), ([, name]) => `tokens.${name}`);
  if (kind === undefined || names.length === 0) return error;
  if (kind.toLowerCase() === 'ambiguous')
    return new ClearError(`${names[0]} is bound twice: use rebind instead of bind`);
  return new ClearError(`${names.at(-1)} is made of itself: decorate it with onActivation`);
}

/** A module of somebody else. A part that asks for itself is refused: inversify would ask again and again. */
export const guarded = (module: ContainerModule) =>
  new ContainerModule((options) =>
    module.load({
      ...options,
      bind: (token) => withoutItself(token, options.bind(token)),
      rebind: (token) => withoutItself(token, options.rebind(token)),
      rebindAsync: async (token) => withoutItself(token, await options.rebindAsync(token)),
    }),
  );

function withoutItself<T>(token: ServiceIdentifier<T>, binding: BindToFluentSyntax<T>) {
  const refuse = (isItself: boolean) => {
    if (isItself) throw new Error(`circular: ${String(token)}`);
  };
  const get =
    (context: ResolutionContext, method: keyof ResolutionContext) =>
    (...given: unknown[]) => {
      refuse(given[0] === token);
      return Reflect.apply(context[method], context, given);
    };
  let isBeingMade = false;
  const toDynamicValue = binding.toDynamicValue.bind(binding);
  binding.toDynamicValue = (make) =>
    toDynamicValue((context) => {
      // By a part that is made of it, too.
      refuse(isBeingMade);
      isBeingMade = true;
      try {
        return make(new Proxy(context, { get }));
      } finally {
        isBeingMade = false;
      }
    });
  return binding;
}

type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** A part of somebody else. A call that it does not answer within the time of a statement ends as `Unavailable`. */
function limited(name: PartName, part: unknown, statementTime: number): unknown {
  // What a part asks for gives up before it, so that the log names what hangs.
  const milliseconds = statementTime + (name === 'useCase' ? 200 : 100);
  const inTime: InTime = async (answer) => {
    const late = Symbol();
    const first = await withTimeLimit(milliseconds, answer, late);
    if (first !== late) return first as Awaited<typeof answer>;
    throw new Unavailable(`tokens.${name} did not answer within ${milliseconds} ms`);
  };
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((middleware) => limitedMiddleware(middleware, inTime));
  const get = (_: object, key: PropertyKey) => {
    const value = Reflect.get(part, key);
    if (typeof value !== 'function') return value;
    // The part itself is `this`, for what is private in it.
    return (...given: unknown[]) => {
      const result = value.apply(part, given);
      return typeof result?.then === 'function' ? inTime(result) : result;
    };
  };
  return new Proxy({}, { get });
}

/** The time of what comes after it in the chain is not its own. */
function limitedMiddleware(middleware: Middleware, inTime: InTime): Middleware {
  return async (context, next) => {
    const asked = Promise.withResolvers<void>();
    const rest: Promise<unknown>[] = [];
    const askForRest = () => {
      asked.resolve();
      rest[0] ??= next();
      return rest[0];
    };
    const own = (async () => middleware(context, askForRest))();
    await inTime(Promise.race([own, asked.promise]));
    await Promise.allSettled(rest);
    await inTime(own);
  };
}
