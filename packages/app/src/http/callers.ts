/* Who may call, and how often: the identity and the rate limits, as the settings choose them. */
import type { Limiter, Rate } from '@campaign-mirror/adapters-http';
import type { IssuerObserver } from '@campaign-mirror/adapters-jwt';
import { accessKey, type Identity } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type LogWriter, throttled } from '../logging/log-events.ts';
import { gaugeOf, metricIn } from '../metrics/service-metrics.ts';
import type { ServiceInput } from '../process/life.ts';

/** The time between two fetches of the issuer's keys, in milliseconds. A key that it removed is refused after that. */
const betweenFetches = 300_000;

/** How long the keys are used while no fetch succeeds, in milliseconds. */
const maxAge = 3_900_000;

/** Asymmetric algorithms only. With `HS256`, a program that checks tokens could make them; `none` checks nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** How far the issuer's clock may differ, in milliseconds: an expired token is accepted that much longer. */
const clockTolerance = 30_000;

/** The identity that IDENTITY names; `keys`: by access keys. The first fetch of the issuer's keys is not awaited. */
export async function openIdentity(
  { settings, log, registry, life }: ServiceInput,
  keys: Identity | undefined,
) {
  const isKey = (credential: string) => accessKey(credential) !== undefined;
  if (settings.IDENTITY === 'keys') return { identity: keys as Identity, isWellFormed: isKey };
  const jwt = await import('@campaign-mirror/adapters-jwt');
  const observer = issuerObserver(log, registry, settings.IDENTITY);
  const keysOfIssuer = jwt.issuerKeys({ url: settings.JWT_JWKS_URL as URL, maxAge, observer });
  // The observer reports a failure.
  const fetchKeys = () => void keysOfIssuer.reload().catch(() => {});
  fetchKeys();
  const fetching = setInterval(fetchKeys, betweenFetches).unref();
  life.atEnd('issuer keys', () => clearInterval(fetching));
  const rules = {
    issuer: settings.JWT_ISSUER as string,
    audience: settings.JWT_AUDIENCE as string,
    algorithms,
    clockTolerance,
    ownerClaim: settings.JWT_OWNER_CLAIM,
    subjectClaim: settings.JWT_SUBJECT_CLAIM,
    hostsClaim: settings.JWT_HOSTS_CLAIM,
  };
  const signed = new jwt.JwtIdentity(rules, keysOfIssuer);
  if (settings.IDENTITY === 'jwt') return { identity: signed, isWellFormed: jwt.isTokenForm };
  const isWellFormed = (credential: string) => isKey(credential) || jwt.isTokenForm(credential);
  return { identity: jwt.keysOrTokens(keys as Identity, signed), isWellFormed };
}

/** Counts each fetch; logs the first one, failures, and the first success after a failure. */
export function issuerObserver(log: LogWriter, registry: Registry, identity: 'jwt' | 'both'): IssuerObserver {
  const metric = metricIn(registry);
  const fetches = new Counter(metric('campaign_mirror_issuer_key_fetches_total', 'result', 'identity'));
  for (const result of ['done', 'failed']) fetches.inc({ result, identity }, 0);
  let fetchedAt: number | undefined;
  const age = () => fetchedAt && (performance.now() - fetchedAt) / 1_000;
  gaugeOf(metric('campaign_mirror_issuer_keys_age_seconds'), age);
  const warn = throttled(log, 'warn');
  const advice =
    'the keys of the issuer of tokens cannot be fetched: see JWT_JWKS_URL, and whether the issuer answers';
  let isFirst = true;
  return {
    fetched: (count) => {
      fetches.inc({ result: 'done', identity });
      fetchedAt = performance.now();
      if (isFirst) log.info({ event: 'issuer-keys-fetched', count }, 'the keys of the issuer were fetched');
      isFirst = false;
    },
    failed: (err) => {
      fetches.inc({ result: 'failed', identity });
      isFirst = true;
      warn({ event: 'issuer-keys-failed', err }, advice);
    },
  };
}

/** A limiter in this process for at most `max` keys or addresses. It forgets the least recently used one first. */
export function limiterOf(rate: Rate, max = 50_000): Limiter {
  const limiter = new RateLimiterMemory({ points: rate.limit, duration: rate.seconds, keyPrefix: '' });
  // `RateLimiterMemory` itself forgets nothing before a window ends.
  const recent = new LRUCache<string, true>({ max, dispose: (_, who) => void limiter.delete(who) });
  const count = async (who: string) => {
    if (recent.get(who) === undefined) recent.set(who, true);
    // Above the limit, `consume` rejects with its usual result.
    const result = await limiter.consume(who).catch((refused) => refused);
    if (!(result instanceof RateLimiterRes)) throw result;
    return { consumed: result.consumedPoints, resetIn: Math.max(result.msBeforeNext, 0) };
  };
  return { rate, count };
}
