import type { IssuerObserver } from '@campaign-mirror/adapters-jwt';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';

/** While the issuer is away, each attempt would repeat the line; milliseconds. */
const betweenLines = 60_000;

/** Logs the first fetch of the issuer's keys, failures once a minute, and the first fetch after a failure. */
export function issuerLog(log: Log): IssuerObserver {
  const throttle = throttled(betweenLines);
  let isNews = true;
  return {
    fetched: (count) => {
      if (isNews) log.info({ event: 'issuer-keys-fetched', count }, 'the keys of the issuer were fetched');
      isNews = false;
    },
    failed: (error) => {
      isNews = true;
      throttle((untold) =>
        log.warn(
          { event: 'issuer-keys-failed', untold, err: error },
          'the keys of the issuer of tokens cannot be fetched: see JWT_JWKS_URL, and whether the issuer answers',
        ),
      );
    },
  };
}
