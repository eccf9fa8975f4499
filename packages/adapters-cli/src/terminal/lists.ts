import type { Call } from './call.ts';
import type { Listing } from './output.ts';

/** The maximum number of rows that are read at once, which bounds memory. */
export const readBatch = 500;

/** Reads at most `limit` rows after `after`, in batches on demand. @throws Interrupted between batches */
export async function* rowsAfter<Id, Row extends { readonly id: Id }>(
  call: Call,
  { after, limit = Number.POSITIVE_INFINITY }: { after?: Id | undefined; limit?: number | undefined },
  read: (range: { readonly after: Id | undefined; readonly limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let last = after;
  for (let left = limit; left > 0; left -= readBatch) {
    call.throwIfStopped('Stopped: there is more.');
    const size = Math.min(left, readBatch);
    const rows = await read({ after: last, limit: size });
    yield* rows;
    if (rows.length < size) return;
    last = rows.at(-1)?.id;
  }
}

/** Lists the newest rows before `before`, and says how to list more. Returns the last row listed, or `before`. */
export async function listNewest<Id extends number, Row extends { readonly id: Id }>(
  call: Call,
  { before, limit }: { readonly before?: Id | undefined; readonly limit: number },
  listing: Listing,
  read: (range: { readonly before: Id | undefined; readonly limit: number }) => Promise<Row[]>,
): Promise<Id | undefined> {
  let last = before;
  const rows = rowsAfter(call, { after: before, limit }, async ({ after, limit }) => {
    const batch = await read({ before: after, limit });
    last = batch.at(-1)?.id ?? last;
    return batch;
  });
  const count = await call.output.list(rows, listing);
  if (count < limit || call.output.isReaderGone) return last;
  const more = await read({ before: last, limit: 1 });
  if (more.length > 0) await call.output.notice(`There is more: add --before ${last} to see it.`);
  return last;
}
