import * as domain from '@campaign-mirror/domain';
import { ClearError } from '../terminal/errors.ts';
import { type CsvRecord, inUtf16, notInUtf8, recordsOf } from './csv-lines.ts';

/**
 * Reads the lines of a CSV file of campaigns and checks them. A first line such as `sep=,`, which is for spreadsheets,
 * and rows without any value are passed over. A file in another encoding is told of once, by its first such line.
 * @throws ClearError when the header does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: domain.HostDenylist,
): AsyncGenerator<domain.ImportLine> {
  let columns: readonly domain.CampaignField[] | undefined;
  let line = 0;
  let isUtf8 = true;
  for await (const records of recordsOf(bytes)) {
    for (const record of records) {
      line += 1;
      const isUnread = record !== undefined && 'unread' in record;
      if (!columns) {
        if (line > 1 || isUnread || !/^sep=/i.test(record?.[0] ?? '')) columns = columnsOf(record, line);
      } else if (isUnread && record.unread === notInUtf8) {
        if (isUtf8) yield { line, ...judged(record, columns, denied) };
        isUtf8 = false;
      } else if (record && (isUnread || record.some((field) => field !== ''))) {
        yield { line, ...judged(record, columns, denied) };
      }
    }
  }
  if (!columns) columnsOf([], 1);
}

const nothingClaimed = { id: null, name: null, mirrorId: null, defaultOf: null };

function judged(
  record: NonNullable<CsvRecord>,
  columns: readonly domain.CampaignField[],
  denied: domain.HostDenylist,
) {
  const unread = (because: string) => ({
    faults: [{ kind: 'unread' as const, because }],
    claims: nothingClaimed,
  });
  if ('unread' in record) return unread(record.unread);
  if (record.length !== columns.length)
    return unread(`there are ${record.length} fields, where the header has ${columns.length}`);
  const fields = domain.campaignFields.map((field) => [field, record[columns.indexOf(field)] ?? '']);
  return domain.importedCampaign(Object.fromEntries(fields), denied);
}

/**
 * In the order of the header, which names each column at most once, in any case; a column that it does not name is empty
 * in every line.
 */
function columnsOf(given: CsvRecord = [], line: number): readonly domain.CampaignField[] {
  const unread = (because: string) => new ClearError(`line ${line}: ${because}`);
  const text = 'unread' in given ? (given.text ?? '') : given.join(',');
  if (text.includes('\0')) throw unread(inUtf16);
  const [, other] = (!text.includes(',') && /([;\t|])/.exec(text)) || [];
  if (other) throw unread(`its columns are separated by ${separators[other]}: separate them by commas`);
  if ('unread' in given) throw unread(given.unread);
  const header = given.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = domain.campaignFields;
  const unknown = given.filter((_, at) => !known.includes(header[at] ?? ''));
  const twice = known.filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const faults = [
    ...(unknown.length > 0 ? [`it has unknown columns ${listed(unknown)}`] : []),
    ...(header.includes('owner_id') ? [] : ['it lacks the column owner_id']),
    ...(twice.length > 0 ? [`it has columns twice ${listed(twice)}`] : []),
  ];
  if (faults.length === 0) return header as domain.CampaignField[];
  throw unread(
    `${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${domain.campaignFields.join(',')}`,
  );
}

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The first ones, and the beginning of each. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, domain.campaignFields.length);
  return first.map((name) => name.slice(0, 40) || '(empty)').join(', ');
}
