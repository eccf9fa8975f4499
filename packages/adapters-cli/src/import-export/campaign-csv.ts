import {
  type CampaignField,
  type CampaignFields,
  type CampaignRecord,
  campaignFields,
  fieldsOf,
  type HostDenylist,
  type ImportLine,
  importedCampaign,
} from '@campaign-mirror/domain';
import { stringify } from 'csv-stringify/sync';
import { ClearError } from '../terminal/clear-error.ts';
import { type CsvRecord, recordsOf } from './csv-records.ts';
import { linesOf } from './file-lines.ts';

/** The number of campaigns written at once. */
const together = 500;

/** Campaigns as CSV (RFC 4180) with a header. */
export async function* csvOf(campaigns: AsyncIterable<CampaignRecord>): AsyncGenerator<string> {
  yield textOf([campaignFields]);
  let rows: string[][] = [];
  for await (const campaign of campaigns) {
    const fields = fieldsOf(campaign);
    if (rows.push(campaignFields.map((field) => fields[field])) < together) continue;
    yield textOf(rows);
    rows = [];
  }
  if (rows.length > 0) yield textOf(rows);
}

function textOf(rows: (readonly string[])[]): string {
  return stringify(rows, { record_delimiter: '\r\n' });
}

/**
 * Reads the lines of a CSV file of campaigns and checks them.
 * @throws ClearError when the first line does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: HostDenylist,
): AsyncGenerator<ImportLine> {
  let columns: readonly CampaignField[] | undefined;
  let line = 0;
  for await (const lines of linesOf(bytes)) {
    for (const record of recordsOf(lines)) {
      line += 1;
      if (!columns) columns = columnsOf(record);
      else if (record) yield { line, ...judged(record, columns, denied) };
    }
  }
  if (!columns) columnsOf(undefined);
}

const nothingSaid = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
const nothingClaimed = { id: null, name: null, mirrorId: null, defaultOf: null };

function judged(record: CsvRecord, columns: readonly CampaignField[], denied: HostDenylist) {
  const unread = 'unread' in record ? record.unread : otherCount(record, columns);
  if (unread !== undefined) {
    return { faults: [{ kind: 'unread' as const, because: unread }], claims: nothingClaimed };
  }
  const fields = Object.fromEntries(columns.map((column, at) => [column, (record as string[])[at]]));
  return importedCampaign({ ...nothingSaid, ...fields }, denied);
}

function otherCount(record: readonly string[], columns: readonly CampaignField[]): string | undefined {
  if (record.length === columns.length) return undefined;
  return `there are ${record.length} fields, where the header has ${columns.length}`;
}

/**
 * In the order of the header, which names each column at most once; a column that it does not name is empty in every
 * line.
 */
function columnsOf(header: CsvRecord | undefined): readonly CampaignField[] {
  if (header && 'unread' in header) throw new ClearError(`line 1: ${header.unread}`);
  const named = header ?? [];
  const known: readonly string[] = campaignFields;
  const faults = [
    list(
      'it has unknown columns',
      named.filter((name) => !known.includes(name)),
    ),
    named.includes('owner_id') ? undefined : 'it lacks the column owner_id',
    list(
      'it has columns twice',
      known.filter((name) => named.indexOf(name) !== named.lastIndexOf(name)),
    ),
  ].filter((fault) => fault !== undefined);
  if (faults.length === 0) return named as CampaignField[];
  throw new ClearError(
    `line 1: ${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${campaignFields.join(',')}`,
  );
}

/** The first one, if any. */
function list(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, campaignFields.length).map((name) => name.slice(0, 40) || '(empty)');
  return `${what} ${shown.join(', ')}`;
}
