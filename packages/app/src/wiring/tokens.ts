import { ClearError } from '@campaign-mirror/adapters-cli/terminal';
import type { ApplicationSettings, Limiter, Middleware } from '@campaign-mirror/adapters-http';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Container, ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import * as v from 'valibot';
import type { LogLines } from '../logging/log.ts';
import type { Log } from '../logging/log-events.ts';
import type { Life } from '../process/life.ts';
import type { Version } from '../process/project.ts';
import type { Settings } from '../settings/settings.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** The parts of the service that a module of yours may rebind. What does not fit is refused at the start. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. Yours gets every bearer token. */
  identity: token<Identity>('identity'),
  /** By default made of both ports. Yours may stand before it. */
  useCase: token<ApplicationSettings['useCase']>('useCase'),
  /** How often a caller may call: by default as RATE_LIMIT says; undefined without a limit. */
  callLimiter: token<Limiter | undefined>('callLimiter'),
  /** How many refused credentials an address may send: by default as FAILED_KEY_LIMIT says; undefined without a limit. */
  failedKeyLimiter: token<Limiter | undefined>('failedKeyLimiter'),
  /** Middleware of Koa that calls pass before the checks of the route; none by default. It must leave the body unread. */
  middleware: token<readonly Middleware[]>('middleware'),
  /** More metrics for `/metrics`, of other names than the service's; none by default. */
  metrics: token<Registry>('metrics'),
};

/** What is bound to each of the tokens. */
export type BoundParts = {
  readonly [N in keyof typeof tokens]: (typeof tokens)[N] extends ServiceIdentifier<infer Part>
    ? Part
    : never;
};

const method = v.function();
const limiter = v.optional(
  v.object({ rate: v.object({ limit: v.number(), seconds: v.number() }), count: method }),
);

/** What each part must have: without it, every call would be 500. */
const shapes = {
  campaignRepository: v.object({ find: method, setMirror: method }),
  identity: v.object({ whoIs: method }),
  useCase: v.object({ identify: method, execute: method }),
  callLimiter: limiter,
  failedKeyLimiter: limiter,
  middleware: v.array(method),
  metrics: v.object({ getMetricsAsArray: method }),
} satisfies Readonly<Record<keyof BoundParts, v.GenericSchema>>;

/** The parts that are bound, each after `asking`. @throws ClearError if a module of somebody else has bound what does not fit */
export async function boundParts(
  container: Container,
  asking: (name: keyof BoundParts) => void,
): Promise<BoundParts> {
  const parts: Partial<Record<keyof BoundParts, unknown>> = {};
  // A misspelt token is undefined, which JavaScript lets a module bind.
  if (container.isBound(undefined as unknown as ServiceIdentifier))
    throw new ClearError(`a module binds a token other than ${Object.keys(tokens).join(', ')}`);
  for (const name of Object.keys(shapes) as (keyof BoundParts)[]) {
    asking(name);
    parts[name] = await container.getAsync<unknown>(tokens[name]);
    const [issue] = v.safeParse(shapes[name], parts[name]).issues ?? [];
    if (!issue) continue;
    const path = ['tokens', name, v.getDotPath(issue) ?? []].flat().join('.');
    throw new ClearError(`${path} does not fit: ${issue.message}`);
  }
  return parts as BoundParts;
}

/** What every part of the service is made from. */
export interface ServiceInput {
  readonly settings: Settings;
  readonly version: Version;
  readonly log: Log;
  readonly lines: LogLines;
  readonly registry: Registry;
  readonly life: Life;
}
