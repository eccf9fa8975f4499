import type { Call } from './call.ts';
import type { Listing } from './output.ts';

/** The maximum number of rows that are read at once, which bounds memory. */
const pageSize = 500;

/**
 * At most `limit` rows after the row `after`, by their numbers. Each page is read when it is needed.
 * @throws Interrupted between two pages
 */
export async function* paged<Id, Row extends { readonly id: Id }>(
  call: Call,
  { after, limit = Number.POSITIVE_INFINITY }: { after?: Id | undefined; limit?: number | undefined },
  read: (page: { readonly after: Id | undefined; readonly limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let last = after;
  for (let left = limit; left > 0; left -= pageSize) {
    call.throwIfStopped('Stopped: there is more.');
    const size = Math.min(left, pageSize);
    const rows = await read({ after: last, limit: size });
    yield* rows;
    if (rows.length < size) return;
    last = rows.at(-1)?.id;
  }
}

/**
 * Lists the newest rows before the row `before`, and prints how to list more. Returns the last one listed, or `before`.
 * @throws Interrupted between two pages
 */
export async function listNewest<Id extends number, Row extends { readonly id: Id }>(
  call: Call,
  { before, limit }: { readonly before?: Id | undefined; readonly limit: number },
  listing: Listing,
  read: (page: { readonly before: Id | undefined; readonly limit: number }) => Promise<Row[]>,
): Promise<Id | undefined> {
  let last = before;
  const rows = paged(call, { after: before, limit }, async ({ after, limit }) => {
    const page = await read({ before: after, limit });
    last = page.at(-1)?.id ?? last;
    return page;
  });
  const count = await call.output.list(rows, listing);
  if (count < limit || call.output.isReaderGone) return last;
  const more = await read({ before: last, limit: 1 });
  if (more.length > 0) await call.output.note(`There is more: add --before ${last} to see it.`);
  return last;
}
