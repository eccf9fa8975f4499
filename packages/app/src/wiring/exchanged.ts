import { AsyncLocalStorage } from 'node:async_hooks';
import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { Middleware } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import { type BindToFluentSyntax, type Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import * as v from 'valibot';
import { withTimeLimit } from '../process/time-limit.ts';
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

/** From now on, `exchanged` parts fit, and answer in time; what is made is not `missing`. @throws ClearError */
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

/** Explains an error of inversify to whoever wrote a module. @throws ClearError; any other error as it is */
export function throwExplained(error: unknown): never {
  const [, kind, path = ''] = /^\w*: (ambiguous|circular)(.*)/is.exec(String(error)) ?? [];
  const names = Array.from(path.matchAll(/Symbol\((\w+)\)/g), ([, name]) => `tokens.${name}`);
  if (kind === undefined || names.length === 0) throw error;
  if (kind.toLowerCase() === 'ambiguous')
    throw new ClearError(`${names[0]} is bound twice: use rebind instead of bind`);
  throw new ClearError(`${names.at(-1)} is made of itself: decorate it with onActivation`);
}

/** The parts for which this part is being made. */
const beingMade = new AsyncLocalStorage<readonly unknown[]>();

/** Notes what a module binds or decorates. Refuses a part made of itself: inversify would ask again and again. */
export const watched = (module: ContainerModule, exchanged: Set<unknown>) =>
  new ContainerModule((options) => {
    const note = <T>(token: ServiceIdentifier<T>, binding: BindToFluentSyntax<T>) => {
      exchanged.add(token);
      const toDynamicValue = binding.toDynamicValue.bind(binding);
      binding.toDynamicValue = (make) =>
        toDynamicValue((context) => {
          const makers = beingMade.getStore() ?? [];
          const circular = new Error(`circular: ${String(token)}`);
          if (makers.includes(token)) throw circular;
          // Later, inversify would wait for the part itself.
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
      bind: (token) => note(token, options.bind(token)),
      rebind: (token) => note(token, options.rebind(token)),
      rebindAsync: async (token) => note(token, await options.rebindAsync(token)),
      onActivation: (token, activate) => {
        exchanged.add(token);
        options.onActivation(token, activate);
      },
    });
  });

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

type Rest = { rest?: Promise<unknown> };

/** The time of what comes after it in the chain is not its own. */
function limitedMiddleware(middleware: Middleware, inTime: InTime): Middleware {
  return async (context, next) => {
    const { promise: asked, resolve } = Promise.withResolvers<Rest>();
    const askForRest = () => {
      const rest = next();
      resolve({ rest });
      return rest;
    };
    const own = (async () => middleware(context, askForRest))();
    const { rest } = await inTime(Promise.race([own.then((): Rest => ({})), asked]));
    await rest?.catch(() => {});
    await inTime(own);
  };
}
