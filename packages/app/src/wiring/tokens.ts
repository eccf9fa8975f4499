import type { Limiter, Middleware, SetMirrorSettings } from '@campaign-mirror/adapters-http';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import type { Container, ServiceIdentifier } from 'inversify';
import type { Registry } from 'prom-client';
import type { LogLines } from '../logging/log.ts';
import type { Log } from '../logging/log-events.ts';
import type { Life } from '../process/life.ts';
import type { Version } from '../process/project.ts';
import type { Settings } from '../settings/settings.ts';

/** A function, because a plain `const X: ServiceIdentifier<T> = Symbol()` narrows to `symbol` and loses its type. */
const token = <T>(name: string): ServiceIdentifier<T> => Symbol(name);

/** In which header a caller sends its credential, and whether a text can be one. */
export type CredentialForm = Pick<SetMirrorSettings, 'credentialHeader' | 'isWellFormed'>;

/** The parts of the service that a module of yours may rebind. */
export const tokens = {
  /** By default the repository in PostgreSQL. */
  campaignRepository: token<CampaignRepository>('campaignRepository'),
  /** By default access keys in PostgreSQL, or signed tokens, as IDENTITY says. */
  identity: token<Identity>('identity'),
  /** By default the bearer token of `Authorization`, of any form if the identity is yours. */
  credentialForm: token<CredentialForm>('credentialForm'),
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

/** The parts that are bound. */
export async function boundParts(container: Container): Promise<BoundParts> {
  const parts: Record<string, unknown> = {};
  for (const [name, token] of Object.entries(tokens)) parts[name] = await container.getAsync<unknown>(token);
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
