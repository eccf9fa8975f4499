import {
  type CampaignField,
  type CampaignFields,
  campaignFields,
  type HostDenylist,
  type ImportLine,
  importedCampaign,
} from '@campaign-mirror/domain';
import { ClearError } from '../terminal/errors.ts';
import { type CsvRecord, recordsOf } from './csv-lines.ts';

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
  for await (const records of recordsOf(bytes)) {
    for (const record of records) {
      line += 1;
      if (!columns) columns = columnsOf(record);
      else if (record) yield { line, ...judged(record, columns, denied) };
    }
  }
  if (!columns) columnsOf([]);
}

const nothingSaid = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
const nothingClaimed = { id: null, name: null, mirrorId: null, defaultOf: null };

function judged(record: NonNullable<CsvRecord>, columns: readonly CampaignField[], denied: HostDenylist) {
  const unread = (because: string) => ({
    faults: [{ kind: 'unread' as const, because }],
    claims: nothingClaimed,
  });
  if ('unread' in record) return unread(record.unread);
  if (record.length !== columns.length)
    return unread(`there are ${record.length} fields, where the header has ${columns.length}`);
  const fields = Object.fromEntries(columns.map((column, at) => [column, record[at]]));
  return importedCampaign({ ...nothingSaid, ...fields }, denied);
}

/**
 * In the order of the header, which names each column at most once; a column that it does not name is empty in every
 * line.
 */
function columnsOf(header: CsvRecord = []): readonly CampaignField[] {
  if ('unread' in header) throw new ClearError(`line 1: ${header.unread}`);
  const known: readonly string[] = campaignFields;
  const unknown = header.filter((name) => !known.includes(name));
  const twice = known.filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const faults = [
    ...(unknown.length > 0 ? [`it has unknown columns ${listed(unknown)}`] : []),
    ...(header.includes('owner_id') ? [] : ['it lacks the column owner_id']),
    ...(twice.length > 0 ? [`it has columns twice ${listed(twice)}`] : []),
  ];
  if (faults.length === 0) return header as CampaignField[];
  throw new ClearError(
    `line 1: ${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${campaignFields.join(',')}`,
  );
}

/** The first ones, and the beginning of each. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, campaignFields.length);
  return first.map((name) => name.slice(0, 40) || '(empty)').join(', ');
}
