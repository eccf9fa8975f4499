import type { OwnerId } from '@campaign-mirror/domain';
import type { Interruption } from './interruption.ts';

/** Rows that are read at once, at most: memory stays flat, however many there are. */
const pageSize = 500;

/** What a call asks for: of an owner, after a row, so many at most; what is left out is all there is. */
export interface Asked<Key> {
  readonly owner?: OwnerId;
  readonly after?: Key;
  readonly limit?: number;
}

/**
 * All rows that are asked for, page after page, each as it is when it is read.
 * @throws Interrupted between two pages
 */
export async function* paged<Row, Key>(
  { after, limit = Number.POSITIVE_INFINITY, ...asked }: Asked<Key>,
  read: (page: Asked<Key> & { readonly limit: number }) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
  interruption: Interruption,
): AsyncGenerator<Row> {
  let from = after;
  for (let left = limit; left > 0; left -= pageSize) {
    interruption.throwIfInterrupted('Stopped: there is more.');
    const size = Math.min(left, pageSize);
    const rows = await read({ ...asked, ...(from !== undefined && { after: from }), limit: size });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    from = keyOf(last);
  }
}
