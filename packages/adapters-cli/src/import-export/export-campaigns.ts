import { type CampaignRecord, type CampaignValues, campaignFields, fieldsOf } from '@campaign-mirror/domain';
import { stringify } from 'csv-stringify/sync';
import type { OperatorPorts } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { progress } from '../terminal/input-file.ts';
import { type Replacing, writeNewFile } from '../terminal/new-file.ts';

/** The number of campaigns that are written together. The progress bar is updated after each such number. */
const batchSize = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(
  exports: OperatorPorts['exports'],
  { output }: Call,
  json: boolean | undefined,
): Promise<void> {
  const campaigns = exports.all();
  if (json) {
    for await (const campaign of campaigns) {
      await output.object(fieldsOf(campaign));
      if (output.isReaderGone) break;
    }
    return;
  }
  for await (const text of csvOf(campaigns)) {
    await output.write(text);
    if (output.isReaderGone) break;
  }
}

/** Writes all campaigns to a file. Returns their number. @throws ClearError */
export async function exportToFile(
  exports: OperatorPorts['exports'],
  call: Call,
  path: string,
  replacing: Replacing,
): Promise<number> {
  const bar = progress(call, 'Reading campaigns', await exports.count());
  let count = 0;
  async function* withProgress(): AsyncGenerator<CampaignRecord> {
    for await (const campaign of exports.all()) {
      yield campaign;
      count += 1;
      if (count % batchSize === 0) bar.at(count);
    }
  }
  await writeNewFile(path, csvOf(withProgress()), replacing).finally(() => bar.stop());
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
