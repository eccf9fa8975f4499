import * as domain from '@campaign-mirror/domain';
import { ClearError } from '../terminal/errors.ts';
import { type CsvRecord, recordsOf } from './csv-lines.ts';

/**
 * Reads the lines of a CSV file of campaigns and checks them.
 * @throws ClearError when the first line does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: domain.HostDenylist,
): AsyncGenerator<domain.ImportLine> {
  let columns: readonly domain.CampaignField[] | undefined;
  let line = 0;
  for await (const records of recordsOf(bytes)) {
    for (const record of records) {
      line += 1;
      if (!columns) columns = columnsOf(record);
      else if (record) yield { line, ...judged(record, columns, denied) };
    }
  }
  if (!columns) columnsOf([]);
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
 * In the order of the header, which names each column at most once; a column that it does not name is empty in every
 * line.
 */
function columnsOf(header: CsvRecord = []): readonly domain.CampaignField[] {
  if ('unread' in header) throw new ClearError(`line 1: ${header.unread}`);
  const known: readonly string[] = domain.campaignFields;
  const unknown = header.filter((name) => !known.includes(name));
  const twice = known.filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const faults = [
    ...(unknown.length > 0 ? [`it has unknown columns ${listed(unknown)}`] : []),
    ...(header.includes('owner_id') ? [] : ['it lacks the column owner_id']),
    ...(twice.length > 0 ? [`it has columns twice ${listed(twice)}`] : []),
  ];
  if (faults.length === 0) return header as domain.CampaignField[];
  throw new ClearError(
    `line 1: ${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${domain.campaignFields.join(',')}`,
  );
}

/** The first ones, and the beginning of each. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, domain.campaignFields.length);
  return first.map((name) => name.slice(0, 40) || '(empty)').join(', ');
}
