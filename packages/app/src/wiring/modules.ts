/* The parts of the service that modules of a user may exchange, and how the exchanged parts are checked and limited. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { ApplicationSettings, application, Limiter, Middleware } from '@campaign-mirror/adapters-http';
import { type CampaignRepository, type Identity, Unavailable } from '@campaign-mirror/domain';
import { type BindToFluentSyntax, type Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import * as v from 'valibot';
import { withTimeLimit } from '../process/life.ts';

/** A function: a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
export const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** A Koa application. */
export interface KoaApplication extends ReturnType<typeof application> {}

/** The parts of the service that your module may rebind or decorate. The start refuses a part that does not fit. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. Yours gets every bearer token. */
  identity: token<Identity>('identity'),
  /** By default made of both ports. Yours may wrap it. */
  useCase: token<ApplicationSettings['useCase']>('useCase'),
  /** How often a caller may call, by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<Limiter | undefined>('callLimiter'),
  /** How often an address may send refused credentials, by default as FAILED_KEY_LIMIT says; without limit undefined. */
  failedKeyLimiter: token<Limiter | undefined>('failedKeyLimiter'),
  /** Koa middleware before the checks of the route; none by default. It must not read the body. */
  middleware: token<readonly Middleware[]>('middleware'),
  /** More metrics for `/metrics`, with names that the service does not use; none by default. */
  metrics: token<Registry>('metrics'),
  /** The Koa application for callers, by default made of the use case, the limiters and the middleware. */
  application: token<KoaApplication>('application'),
  /** The Koa application for operators: health, metrics and their page. */
  opsApplication: token<KoaApplication>('opsApplication'),
};

export type PartName = keyof typeof tokens;
export const partNames = Object.keys(tokens) as PartName[];

const method = v.function();
const rate = v.object({ limit: v.number(), seconds: v.number() });
const limiter = v.optional(v.object({ rate, count: method }));
const koa = v.object({ callback: method });

/** What each part must have. Without it, every call would be answered 500. */
const shapes: Readonly<Record<PartName, v.GenericSchema>> = {
  campaignRepository: v.object({ find: method, setMirror: method }),
  identity: v.object({ whoIs: method }),
  useCase: v.object({ identify: method, execute: method }),
  callLimiter: limiter,
  failedKeyLimiter: limiter,
  middleware: v.array(method),
  metrics: v.object({ getMetricsAsArray: method }),
  application: koa,
  opsApplication: koa,
};

/** Checks and limits each exchanged part when it is made, and removes it from `missing`. @throws ClearError */
export function checkExchanged(
  container: Container,
  exchanged: ReadonlySet<unknown>,
  statementTime: number,
  missing: Set<PartName>,
): void {
  if (exchanged.has(undefined))
    throw new ClearError(`a module binds a token other than ${partNames.join(', ')}`);
  for (const name of partNames)
    container.onActivation<unknown>(tokens[name], (_, part) => {
      missing.delete(name);
      if (!exchanged.has(tokens[name])) return part;
      const [issue] = v.safeParse(shapes[name], part).issues ?? [];
      if (!issue) return limited(name, part, statementTime);
      const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
      throw new ClearError(`${path} does not fit: ${issue.message}`);
    });
}

/** Explains an error of inversify to the author of a module. @throws ClearError, or the error if it is another one */
export function throwExplained(error: unknown): never {
  const [, kind, path = ''] = /^\w*: (ambiguous|circular)(.*)/is.exec(String(error)) ?? [];
  const names = Array.from(path.matchAll(/Symbol\((\w+)\)/g), ([, name]) => `tokens.${name}`);
  if (kind === undefined || names.length === 0) throw error;
  if (kind.toLowerCase() === 'ambiguous')
    throw new ClearError(`${names[0]} is bound twice: use rebind instead of bind`);
  throw new ClearError(`${names.at(-1)} is made of itself: decorate it with onActivation`);
}

/** The tokens whose parts are being made for the current part. */
const beingMade = new AsyncLocalStorage<readonly unknown[]>();

/** Adds what a module exchanges to `exchanged`. Refuses a part made of itself, which inversify would make for ever. */
export const recorded = (module: ContainerModule, exchanged: Set<unknown>) =>
  new ContainerModule((options) => {
    const record = <T>(token: ServiceIdentifier<T>, binding: BindToFluentSyntax<T>) => {
      exchanged.add(token);
      const toDynamicValue = binding.toDynamicValue.bind(binding);
      binding.toDynamicValue = (make) =>
        toDynamicValue((context) => {
          const makers = beingMade.getStore() ?? [];
          const circular = new Error(`circular: ${String(token)}`);
          if (makers.includes(token)) throw circular;
          // After an `await`, inversify would wait for the part itself.
          const getAsync = async (...given: Parameters<typeof context.getAsync>): Promise<unknown> => {
            if (given[0] === token) throw circular;
            return context.getAsync(...given);
          };
          return beingMade.run([...makers, token], make, { ...context, getAsync } as typeof context);
        });
      return binding;
    };
    return module.load({
      ...options,
      bind: (token) => record(token, options.bind(token)),
      rebind: (token) => record(token, options.rebind(token)),
      rebindAsync: async (token) => record(token, await options.rebindAsync(token)),
      onActivation: (token, activate) => {
        exchanged.add(token);
        options.onActivation(token, activate);
      },
    });
  });

type InTime = <T>(answer: Promise<T>) => Promise<T>;

/** An exchanged part whose calls fail with `Unavailable` if they take longer than a statement may. */
function limited(name: PartName, part: unknown, statementTime: number): unknown {
  // A part fails before the use case that waits for it: the log must name the part that hangs.
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
    // `this` is the part, which may have private members.
    return (...given: unknown[]) => {
      const result = value.apply(part, given);
      return typeof result?.then === 'function' ? inTime(result) : result;
    };
  };
  return new Proxy({}, { get });
}

type Rest = { rest?: Promise<unknown> };

/** Limits the time of the middleware itself, without the rest of the chain. */
function limitedMiddleware(middleware: Middleware, inTime: InTime): Middleware {
  return async (context, next) => {
    const { promise: called, resolve } = Promise.withResolvers<Rest>();
    const callRest = () => {
      const rest = next();
      resolve({ rest });
      return rest;
    };
    const own = (async () => middleware(context, callRest))();
    const { rest } = await inTime(Promise.race([own.then((): Rest => ({})), called]));
    await rest?.catch(() => {});
    await inTime(own);
  };
}
