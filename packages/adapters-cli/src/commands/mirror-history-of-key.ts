import type { AccessKeyId, AccessKeys, HistoryEntry, KeyChanges } from '@campaign-mirror/domain';
import type { Call } from '../terminal/call.ts';
import { orStopped } from '../terminal/interruption.ts';
import type { Listing } from '../terminal/output.ts';
import { noSuchKey } from '../words/refusals.ts';
import { type AdministrationPorts, type Operator, reading } from './operator.ts';

/** Shows the changes made with a key, at most `limit`. @throws ClearError if there never was such a key */
export async function historyOfKey(
  call: Call,
  operator: Operator,
  asked: KeyChanges,
  limit: number,
  listing: Omit<Listing<HistoryEntry>, 'none'>,
): Promise<void> {
  const since = asked.since ? ` since ${asked.since}` : '';
  const none = `No change was made with key ${asked.key}${since}.`;
  await operator.administering(
    (ports) => call.output.list(changes(ports, asked, limit), { ...listing, none }),
    { ...reading, pace: 'unhurried' },
  );
}

async function* changes(
  { history, keys }: AdministrationPorts,
  asked: KeyChanges,
  limit: number,
): AsyncGenerator<HistoryEntry> {
  let found = 0;
  try {
    for await (const entry of history.ofKey(asked)) {
      yield entry;
      found += 1;
      if (found === limit) return;
    }
  } catch (error) {
    throw orStopped(error, 'Stopped: there is more.');
  }
  // A mistyped number must not look like a key that changed nothing.
  if (found === 0 && !(await isKnown(keys, asked.key))) throw noSuchKey(asked.key);
}

async function isKnown(keys: AccessKeys, key: AccessKeyId): Promise<boolean> {
  const [next] = await keys.list({ after: (key - 1) as AccessKeyId, limit: 1 });
  return next?.id === key;
}
