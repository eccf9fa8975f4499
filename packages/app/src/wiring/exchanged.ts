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

const ofItself = (name: string) =>
  new ClearError(`tokens.${name} is made of itself: decorate it with onActivation`);

/** What inversify says of a mistake in a module, in one sentence; any other error as it is. */
export function explained(name: PartName, error: Error): Error {
  if (error.message.startsWith('Circular dependency')) return ofItself(name);
  if (!error.message.startsWith('Ambiguous bindings')) return error;
  return new ClearError(`tokens.${name} is bound twice: use rebind instead of bind`);
}

/** A module of somebody else. A part of it that asks for itself would recurse, or wait for itself: it is refused. */
export const guarded = (module: ContainerModule) =>
  new ContainerModule((options) =>
    module.load({
      ...options,
      bind: (token) => guard(token, options.bind(token)),
      rebind: (token) => guard(token, options.rebind(token)),
      rebindAsync: async (token) => guard(token, await options.rebindAsync(token)),
    }),
  );

function guard<T>(token: ServiceIdentifier<T>, binding: BindToFluentSyntax<T>) {
  const name = names.find((one) => tokens[one] === token);
  const get =
    (context: ResolutionContext, method: keyof ResolutionContext) =>
    (...given: unknown[]) => {
      if (name && given[0] === token) throw ofItself(name);
      return Reflect.apply(context[method], context, given);
    };
  const toDynamicValue = binding.toDynamicValue.bind(binding);
  binding.toDynamicValue = (make) => toDynamicValue((context) => make(new Proxy(context, { get })));
  return binding;
}

type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** A part of somebody else. A call that it does not answer within so many milliseconds ends as `Unavailable`. */
export function limited(name: PartName, part: object, milliseconds: number): object {
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
    const asked = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    let isAsked = false;
    const own = (async () =>
      middleware(context, () => {
        isAsked = true;
        asked.resolve();
        return rest.promise;
      }))();
    await inTime(Promise.race([own, asked.promise]));
    if (!isAsked) return;
    rest.resolve(next());
    await rest.promise.catch(() => {});
    await inTime(own);
  };
}
