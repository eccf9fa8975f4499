import { type CampaignField, type CampaignRecord, campaignFields, fieldsOf } from '@campaign-mirror/domain';
import { stringify } from 'csv-stringify/sync';
import type { OperatorPorts } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { orStopped } from '../terminal/errors.ts';
import { type Replacing, writeNewFile } from '../terminal/new-file.ts';
import { type Progress, progress } from '../terminal/progress.ts';

/** The number of campaigns written at once, and between two updates of the progress bar. */
const together = 500;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(
  exports: OperatorPorts['exports'],
  { output }: Call,
  json: boolean | undefined,
): Promise<void> {
  try {
    if (!json) await output.write(csv([campaignFields]));
    for await (const campaigns of batches(exports.all())) {
      if (json) for (const campaign of campaigns) await output.object(objectOf(campaign));
      else await output.write(csv(campaigns.map(valuesOf)));
      if (output.isReaderGone) break;
    }
  } catch (error) {
    throw orStopped(error, 'Stopped. What was written is not all.');
  }
}

/** Writes all campaigns to a file. Returns their number. @throws ClearError */
export async function exportToFile(
  exports: OperatorPorts['exports'],
  call: Call,
  path: string,
  replacing: Replacing,
): Promise<number> {
  let bar: Progress | undefined;
  let count = 0;
  async function* contents(): AsyncGenerator<string> {
    yield csv([campaignFields]);
    const all = exports.all((total) => {
      bar = progress(call, 'Reading campaigns', total);
    });
    for await (const campaigns of batches(all)) {
      yield csv(campaigns.map(valuesOf));
      count += campaigns.length;
      bar?.at(count);
    }
  }
  try {
    await writeNewFile(path, contents(), replacing);
    return count;
  } catch (error) {
    throw orStopped(error, 'Stopped. Nothing was written.');
  } finally {
    bar?.stop();
  }
}

async function* batches(campaigns: AsyncIterable<CampaignRecord>): AsyncGenerator<CampaignRecord[]> {
  let batch: CampaignRecord[] = [];
  for await (const campaign of campaigns) {
    if (batch.push(campaign) < together) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** RFC 4180. */
function csv(rows: (readonly string[])[]): string {
  return stringify(rows, { record_delimiter: '\r\n' });
}

function valuesOf(campaign: CampaignRecord): string[] {
  const fields = fieldsOf(campaign);
  return campaignFields.map((field) => fields[field]);
}

/** The same columns as in CSV, with the types of JSON. */
function objectOf({ mirror, ...campaign }: CampaignRecord): Record<CampaignField, unknown> {
  return {
    id: campaign.id,
    name: campaign.name,
    owner_id: campaign.ownerId,
    is_default: campaign.isDefault,
    created_at: campaign.createdAt,
    mirror_id: mirror?.id ?? null,
    target_url: mirror?.targetUrl ?? null,
    clicks: mirror?.clicks ?? null,
    updated_externally: mirror?.updatedExternally ?? null,
    updated_externally_at: mirror?.updatedExternallyAt ?? null,
    mirror_created_at: mirror?.createdAt ?? null,
    mirror_updated_at: mirror?.updatedAt ?? null,
  };
}
