import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { campaignFields, fieldsOf, importedCampaign } from '@campaign-mirror/domain/operator';
import { stringify } from 'csv-stringify/sync';
import type { Call } from '../terminal/call.ts';
import { type CsvColumns, type CsvFile, readCsv } from '../terminal/csv-file.ts';
import { writeNewFile } from '../terminal/new-file.ts';

const columns = campaignFields.map((field) => [field, field] as const);
const headings = { ...Object.fromEntries(columns), campaign_id: 'id' } as Record<
  string,
  operator.CampaignField
>;
const empty = Object.fromEntries(columns.map(([field]) => [field, ''])) as operator.CampaignFields;

/**
 * Reads the lines of a CSV file of campaigns and checks them. A column that is not in the header is empty in every line.
 * @throws ClearError when the file is not CSV, or the header does not name the columns
 */
export async function* importLines(
  call: Call,
  file: CsvFile,
  denied: domain.HostList,
  leaveOut: CsvColumns<operator.CampaignField>['leaveOut'],
): AsyncGenerator<operator.ImportLine> {
  for await (const read of readCsv(call, file, { headings, required: ['owner_id'], leaveOut })) {
    const { line } = read;
    if ('unread' in read) yield { line, faults: [{ kind: 'unread', because: read.unread }] };
    else yield { line, ...importedCampaign({ ...empty, ...read.fields }, denied) };
  }
}

/** The number of campaigns that are written together. */
const batchSize = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(exports: operator.CampaignExport, { output }: Call): Promise<void> {
  const campaigns = exports.all();
  for await (const part of output.json ? campaigns : csvOf(campaigns)) {
    if (typeof part === 'string') await output.write(part);
    else await output.object(fieldsOf(part));
    if (output.isReaderGone) break;
  }
}

/** Writes all campaigns to a file. Returns their number. @throws ClearError */
export async function exportToFile(
  exports: operator.CampaignExport,
  path: string,
  replace: boolean,
): Promise<number> {
  let count = 0;
  async function* counted() {
    for await (const campaign of exports.all()) {
      count += 1;
      yield campaign;
    }
  }
  await writeNewFile(path, csvOf(counted()), replace);
  return count;
}

/** Campaigns as CSV (RFC 4180) with a header. */
async function* csvOf(campaigns: AsyncIterable<operator.CampaignRecord>): AsyncGenerator<string> {
  let rows: operator.CampaignValues[] = [];
  let header = true;
  const text = () => stringify(rows, { ...format, header });
  for await (const campaign of campaigns) {
    if (rows.push(fieldsOf(campaign)) < batchSize) continue;
    yield text();
    rows = [];
    header = false;
  }
  yield text();
}

const format = { columns: [...campaignFields], cast: { boolean: String }, record_delimiter: '\r\n' };
