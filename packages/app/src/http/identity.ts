import type { IssuerObserver } from '@campaign-mirror/adapters-jwt';
import { accessKey, type Identity } from '@campaign-mirror/domain';
import { Counter, type Registry } from 'prom-client';
import { type LogWriter, throttled } from '../logging/log-events.ts';
import { gaugeOf, metricIn } from '../metrics/metrics.ts';
import type { ServiceInput } from '../process/life.ts';

/** How often the issuer's keys are fetched, in milliseconds: a key that it removed is refused after that. */
const betweenFetches = 300_000;

/** How long they are used while they cannot be fetched, in milliseconds. */
const maxAge = 3_900_000;

/** All are asymmetric: with `HS256` whoever can check tokens could make them, and `none` checks nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** How far the issuer's clock may differ, in milliseconds: a token is accepted so long after its expiry. */
const clockTolerance = 30_000;

/** The identity that IDENTITY names. `keys` is that by access keys. The issuer's keys are fetched, but not awaited. */
export async function openIdentity(
  { settings, log, registry, life }: ServiceInput,
  keys: Identity | undefined,
) {
  const isKey = (credential: string) => accessKey(credential) !== undefined;
  if (settings.IDENTITY === 'keys') return { identity: keys as Identity, isWellFormed: isKey };
  const jwt = await import('@campaign-mirror/adapters-jwt');
  const observer = issuerObserver(log, registry, settings.IDENTITY);
  const keysOfIssuer = jwt.issuerKeys({ url: settings.JWT_JWKS_URL as URL, maxAge, observer });
  // The observer gets the failure.
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
  const tokens = new jwt.JwtIdentity(rules, keysOfIssuer);
  if (settings.IDENTITY === 'jwt') return { identity: tokens, isWellFormed: jwt.isTokenForm };
  const isWellFormed = (credential: string) => isKey(credential) || jwt.isTokenForm(credential);
  return { identity: jwt.keysOrTokens(keys as Identity, tokens), isWellFormed };
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
