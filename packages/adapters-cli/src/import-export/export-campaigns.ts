import { type CampaignRecord, type CampaignValues, campaignFields, fieldsOf } from '@campaign-mirror/domain';
import { stringify } from 'csv-stringify/sync';
import type { OperatorPorts } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { progress } from '../terminal/given-file.ts';
import { type Replacing, writeNewFile } from '../terminal/new-file.ts';

/** The number of campaigns written at once, and between two updates of the progress bar. */
const together = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(
  exports: OperatorPorts['exports'],
  { output }: Call,
  json: boolean | undefined,
): Promise<void> {
  const campaigns = exports.all();
  for await (const part of json ? campaigns : csvOf(campaigns)) {
    await (typeof part === 'string' ? output.write(part) : output.object(fieldsOf(part)));
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
  async function* shown(): AsyncGenerator<CampaignRecord> {
    for await (const campaign of exports.all()) {
      yield campaign;
      count += 1;
      if (count % together === 0) bar.at(count);
    }
  }
  await writeNewFile(path, csvOf(shown()), replacing).finally(() => bar.stop());
  return count;
}

/** Campaigns as CSV (RFC 4180) with a header. */
async function* csvOf(campaigns: AsyncIterable<CampaignRecord>): AsyncGenerator<string> {
  let rows: CampaignValues[] = [];
  let header = true;
  const text = () => stringify(rows, { ...format, header });
  for await (const campaign of campaigns) {
    if (rows.push(fieldsOf(campaign)) < together) continue;
    yield text();
    rows = [];
    header = false;
  }
  yield text();
}

const format = { columns: [...campaignFields], cast: { boolean: String }, record_delimiter: '\r\n' };
