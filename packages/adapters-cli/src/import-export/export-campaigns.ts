import {
  type CampaignExport,
  type CampaignRecord,
  type CampaignValues,
  campaignFields,
  fieldsOf,
} from '@campaign-mirror/domain';
import { stringify } from 'csv-stringify/sync';
import type { Call } from '../terminal/call.ts';
import { type Progress, progress } from '../terminal/input-file.ts';
import { writeNewFile } from '../terminal/new-file.ts';

/** The number of campaigns that are written together. The progress bar is updated after each such number. */
const batchSize = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(
  exports: CampaignExport,
  { output }: Call,
  json: boolean | undefined,
): Promise<void> {
  if (json) {
    await output.list(exports.all(), { json, object: fieldsOf, columns: [], none: '' });
    return;
  }
  for await (const text of csvOf(exports.all())) {
    await output.write(text);
    if (output.isReaderGone) break;
  }
}

/** Writes all campaigns to a file. Returns their number. @throws ClearError */
export async function exportToFile(
  exports: CampaignExport,
  call: Call,
  path: string,
  replace: boolean,
): Promise<number> {
  let bar: Progress | undefined;
  let count = 0;
  async function* withProgress(): AsyncGenerator<CampaignRecord> {
    const campaigns = exports.all((all) => {
      bar = progress(call, 'Reading campaigns', all);
    });
    for await (const campaign of campaigns) {
      yield campaign;
      count += 1;
      if (count % batchSize === 0) bar?.update(count);
    }
  }
  await writeNewFile(path, csvOf(withProgress()), replace).finally(() => bar?.stop());
  return count;
}

/** Campaigns as CSV (RFC 4180) with a header. */
async function* csvOf(campaigns: AsyncIterable<CampaignRecord>): AsyncGenerator<string> {
  let rows: CampaignValues[] = [];
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
