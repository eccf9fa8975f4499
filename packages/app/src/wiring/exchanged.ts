import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Middleware } from '@campaign-mirror/adapters-http';
import { withTimeLimit } from '@campaign-mirror/adapters-persistence/service';
import { Unavailable } from '@campaign-mirror/domain';
import {
  type BindToFluentSyntax,
  ContainerModule,
  type ResolutionContext,
  type ServiceIdentifier,
} from 'inversify';
import * as v from 'valibot';
import { tokens } from './tokens.ts';

export type PartName = keyof typeof tokens;
export const names = Object.keys(tokens) as PartName[];

const method = v.function();
const limiter = v.optional(
  v.object({ rate: v.object({ limit: v.number(), seconds: v.number() }), count: method }),
);
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

/** @throws ClearError if a module has bound what does not fit */
export function expectFit(name: PartName, part: unknown): void {
  const [issue] = v.safeParse(shapes[name], part).issues ?? [];
  if (!issue) return;
  const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
  throw new ClearError(`${path} does not fit: ${issue.message}`);
}

/** A module of somebody else. What would end with an error of inversify, or never, ends with a sentence. */
export const guarded = (module: ContainerModule) =>
  new ContainerModule((options) =>
    module.load({
      ...options,
      bind: (token) => {
        const name = nameOf(token);
        if (name && options.isBound(token))
          throw new ClearError(`tokens.${name} is bound twice: use rebind instead of bind`);
        return guard(token, options.bind(token));
      },
      rebind: (token) => guard(token, options.rebind(token)),
      rebindAsync: async (token) => guard(token, await options.rebindAsync(token)),
    }),
  );

const nameOf = (token: ServiceIdentifier) => names.find((name) => tokens[name] === token);

/** A part that asks for itself would recurse, or wait for itself. */
function guard<T>(token: ServiceIdentifier<T>, binding: BindToFluentSyntax<T>) {
  const name = nameOf(token);
  // A misspelt token is undefined, which JavaScript lets a module bind.
  if (!token) throw new ClearError(`a module binds a token other than ${names.join(', ')}`);
  const refuse = (asked: unknown) => {
    if (name && asked === token)
      throw new ClearError(`tokens.${name} is made of itself: decorate it with onActivation`);
  };
  const get =
    (context: ResolutionContext, method: keyof ResolutionContext) =>
    (...given: unknown[]) => {
      refuse(given[0]);
      return Reflect.apply(context[method], context, given);
    };
  const toDynamicValue = binding.toDynamicValue.bind(binding);
  const toResolvedValue = binding.toResolvedValue.bind(binding);
  binding.toDynamicValue = (make) => toDynamicValue((context) => make(new Proxy(context, { get })));
  binding.toResolvedValue = (make: never, asked: readonly unknown[] = []) => {
    asked.forEach(refuse);
    return toResolvedValue(make, asked as never);
  };
  return binding;
}

type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** A part of somebody else. A call that it does not answer in time ends as `Unavailable`. */
export function limited(name: PartName, part: object, statementTime: number): object {
  // What a part asks for ends before it, so that the log names the one that hangs.
  const milliseconds = statementTime + (name === 'useCase' ? 200 : 100);
  const inTime: InTime = async (answer) => {
    const late = Symbol();
    const first = await withTimeLimit(milliseconds, answer, late);
    if (first !== late) return first as Awaited<typeof answer>;
    throw new Unavailable(`tokens.${name} did not answer within ${milliseconds} ms`);
  };
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
    const asked = Promise.withResolvers<boolean>();
    const rest = Promise.withResolvers<void>();
    const askForRest = () => {
      asked.resolve(true);
      return rest.promise;
    };
    const own = (async () => middleware(context, askForRest))();
    const isAsked = await inTime(Promise.race([asked.promise, own.then(() => false)]));
    if (!isAsked) return;
    rest.resolve(next());
    await rest.promise.catch(() => {});
    await inTime(own);
  };
}
