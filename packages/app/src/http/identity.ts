import type { IssuerObserver } from '@campaign-mirror/adapters-jwt';
import { accessKey, type Identity } from '@campaign-mirror/domain';
import type { Registry } from 'prom-client';
import { type Log, throttled } from '../logging/log-events.ts';
import { instruments } from '../metrics/instruments.ts';
import type { Life } from '../process/life.ts';
import type { Settings } from '../settings/settings.ts';

/** How often the issuer's keys are fetched, in milliseconds: a key that it removed is refused after that. */
const betweenFetches = 300_000;

/** How long the issuer's keys are used while they cannot be fetched, in milliseconds. */
const maxAge = 3_900_000;

/**
 * The identity that IDENTITY names, with the settings that it needs. `keys`, the identity by access keys, is needed unless
 * tokens alone are accepted. The issuer's keys are fetched, but not awaited. The code for tokens is loaded only if they are
 * accepted.
 */
export async function openIdentity(
  settings: Settings,
  keys: Identity | undefined,
  log: Log,
  registry: Registry,
  life: Pick<Life, 'atEnd'>,
) {
  const isKey = (credential: string) => accessKey(credential) !== undefined;
  if (settings.IDENTITY === 'keys') return { identity: keys as Identity, isWellFormed: isKey };
  const { issuerKeys, JwtIdentity, keysOrTokens, isTokenForm } = await import(
    '@campaign-mirror/adapters-jwt'
  );
  const url = settings.JWT_JWKS_URL as URL;
  const observer = issuerObserver(log, registry, settings.IDENTITY);
  const keysOfIssuer = issuerKeys({ url, maxAge, observer });
  // The observer gets the failure.
  const fetchKeys = () => void keysOfIssuer.reload().catch(() => {});
  fetchKeys();
  const fetching = setInterval(fetchKeys, betweenFetches).unref();
  life.atEnd('issuer keys', () => clearInterval(fetching));
  const rules = {
    issuer: settings.JWT_ISSUER as string,
    audience: settings.JWT_AUDIENCE as string,
    ownerClaim: settings.JWT_OWNER_CLAIM,
    subjectClaim: settings.JWT_SUBJECT_CLAIM,
    hostsClaim: settings.JWT_HOSTS_CLAIM,
  };
  const tokens = new JwtIdentity(rules, keysOfIssuer);
  if (settings.IDENTITY === 'jwt') return { identity: tokens, isWellFormed: isTokenForm };
  const isWellFormed = (credential: string) => isKey(credential) || isTokenForm(credential);
  return { identity: keysOrTokens(keys as Identity, tokens), isWellFormed };
}

/** Counts the fetches, and shows their age; logs the first one, failures, and the first success after a failure. */
export function issuerObserver(log: Log, registry: Registry, identity: 'jwt' | 'both'): IssuerObserver {
  const { counter, value } = instruments(registry);
  const help = 'Fetches of the public keys of the issuer of tokens, by result and by IDENTITY.';
  const fetches = counter('campaign_mirror_issuer_key_fetches_total', help, 'result', 'identity');
  for (const result of ['done', 'failed']) fetches.inc({ result, identity }, 0);
  let fetchedAt: number | undefined;
  value(
    'campaign_mirror_issuer_keys_age_seconds',
    'Time since the public keys of the issuer of tokens were fetched; absent before the first fetch.',
    () => fetchedAt && (performance.now() - fetchedAt) / 1_000,
  );
  const warn = throttled(log, 'warn');
  let isFirst = true;
  return {
    fetched: (keys) => {
      fetchedAt = performance.now();
      fetches.inc({ result: 'done', identity });
      if (isFirst) {
        log.info({ event: 'issuer-keys-fetched', count: keys }, 'the keys of the issuer were fetched');
      }
      isFirst = false;
    },
    failed: (error) => {
      fetches.inc({ result: 'failed', identity });
      isFirst = true;
      warn(
        { event: 'issuer-keys-failed', err: error },
        'the keys of the issuer of tokens cannot be fetched: see JWT_JWKS_URL, and whether the issuer answers',
      );
    },
  };
}
