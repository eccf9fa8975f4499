import type { HostList } from '@campaign-mirror/domain';
import type { CampaignExport, CampaignRecord, ImportLine } from '@campaign-mirror/domain/operator';
import { stringify } from 'csv-stringify/sync';
import { type CampaignField, campaignFields, fieldsOf } from '../commands/campaign-fields.ts';
import type { Call } from '../terminal/call.ts';
import { type CsvColumns, type CsvFile, readCsv } from '../terminal/csv-file.ts';
import { writeNewFile } from '../terminal/new-file.ts';
import { type BadLine, badField, importedCampaign } from './imported-campaign.ts';

const columns = campaignFields.map((field) => [field, field] as const);
const headings: Record<string, CampaignField> = { ...Object.fromEntries(columns), campaign_id: 'id' };

/**
 * Reads and checks the lines of a CSV file of campaigns. Columns that the header does not name are empty.
 * `unread` gets the faults of the lines that yield no campaign.
 * @throws ClearError when the file is not CSV, or the header does not name the columns
 */
export async function* importLines(
  call: Call,
  file: CsvFile,
  denied: HostList,
  leaveOut: CsvColumns<CampaignField>['leaveOut'],
  unread: BadLine[],
): AsyncGenerator<ImportLine> {
  for await (const read of readCsv(call, file, { headings, required: ['owner_id'], leaveOut })) {
    const { line } = read;
    if ('unread' in read) {
      unread.push({ line, column: null, fault: 'unread', reason: read.unread });
      yield { line, campaign: null };
      continue;
    }
    const { campaign, faults } = importedCampaign(read.fields, denied);
    for (const [field, because] of faults) unread.push(badField(line, field, because));
    yield { line, campaign };
  }
}

/** The number of campaigns that are written together. */
const batchSize = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(exports: CampaignExport, { output }: Call): Promise<void> {
  const campaigns = exports.all();
  for await (const part of output.json ? campaigns : csvOf(campaigns)) {
    if (typeof part === 'string') await output.write(part);
    else await output.object(fieldsOf(part));
    if (output.isReaderGone) break;
  }
}

/** Writes all campaigns to a file. Returns their number. @throws ClearError */
export async function exportToFile(exports: CampaignExport, path: string, replace: boolean): Promise<number> {
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
async function* csvOf(campaigns: AsyncIterable<CampaignRecord>): AsyncGenerator<string> {
  let rows: ReturnType<typeof fieldsOf>[] = [];
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

const format = { columns: campaignFields, cast: { boolean: String }, record_delimiter: '\r\n' };
