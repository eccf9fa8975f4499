import type { OwnerId } from '@campaign-mirror/domain';
import type { Call } from './call.ts';
import type { Listing } from './output.ts';

/** The maximum number of rows read at once, which bounds memory. */
const pageSize = 500;

/** Which rows to list: of an owner, after a row, at most a number; without a field, no restriction. */
export interface Asked<Key> {
  readonly owner?: OwnerId;
  readonly after?: Key;
  readonly limit?: number;
}

/**
 * All matching rows in the order of `field`, page by page, each page read when it is needed.
 * @throws Interrupted between two pages
 */
export async function* paged<
  Key extends number,
  Field extends string,
  Row extends Readonly<Record<Field, Key>>,
>(
  call: Call,
  { after, limit = Number.POSITIVE_INFINITY, ...asked }: Asked<Key>,
  read: (page: Asked<Key> & { readonly limit: number }) => Promise<Row[]>,
  field: Field,
): AsyncGenerator<Row> {
  let from = after;
  for (let left = limit; left > 0; left -= pageSize) {
    call.interruption.throwIfInterrupted('Stopped: there is more.');
    const size = Math.min(left, pageSize);
    const rows = await read({ ...asked, ...(from !== undefined && { after: from }), limit: size });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    from = last[field];
  }
}

/** Lists the newest rows before one of them, and says how to see more. @throws Interrupted between two pages */
export async function listNewest<Id extends number, Row extends { readonly id: Id }>(
  call: Call,
  { before, limit }: { readonly before?: Id | undefined; readonly limit: number },
  read: (page: { readonly before?: Id; readonly limit: number }) => Promise<Row[]>,
  listing: Listing<Row>,
): Promise<void> {
  let last = before;
  const page = async ({ after, limit }: { readonly after?: Id; readonly limit: number }) => {
    const rows = await read({ ...(after !== undefined && { before: after }), limit });
    last = rows.at(-1)?.id ?? last;
    return rows;
  };
  const asked = { ...(before !== undefined && { after: before }), limit };
  const shown = await call.output.list(paged(call, asked, page, 'id'), listing);
  if (shown < limit || call.output.isReaderGone || last === undefined) return;
  const more = await read({ before: last, limit: 1 });
  if (more.length > 0) call.output.tell(`There is more: add --before ${last} to see it.`);
}
