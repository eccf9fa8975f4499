import { type HotPathObserver, silentHotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';

/** Each batch would repeat the line; milliseconds. */
const betweenLines = 60_000;

/** Logs, once a minute, that PostgreSQL rejects a statement for many: its members run one by one, slowly. */
export function hotPathLog(log: Log): HotPathObserver {
  const refusals = throttled(betweenLines);
  return {
    ...silentHotPathObserver,
    refused: (statement, error) =>
      refusals((untold) =>
        log.error(
          { event: 'statement-refused', statement, untold, err: error },
          'PostgreSQL refuses a statement of the service: run `./campaign-mirror doctor`, or report a fault',
        ),
      ),
  };
}
