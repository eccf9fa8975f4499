import type { OwnerId } from '@campaign-mirror/domain';
import type { Interruption } from './interruption.ts';

/** The maximum number of rows read at once, which bounds memory. */
const pageSize = 500;

/** Which rows to list: of an owner, after a row, at most a number; without a field, no restriction. */
export interface Asked<Key> {
  readonly owner?: OwnerId;
  readonly after?: Key;
  readonly limit?: number;
}

/**
 * All matching rows, page by page, each page read when it is needed.
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
