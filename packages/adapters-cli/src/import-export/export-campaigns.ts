import { type CampaignRecord, fieldsOf } from '@campaign-mirror/domain';
import type { OperatorPorts } from '../commands/operator.ts';
import type { Call } from '../terminal/call.ts';
import { orStopped } from '../terminal/interruption.ts';
import { type Replacing, writeNewFile } from '../terminal/new-file.ts';
import { type Progress, progress } from '../terminal/progress.ts';
import { csvOf } from './campaign-csv.ts';

/** The number of campaigns between two updates of the progress bar. */
const step = 100;

/** Writes all campaigns to standard output, as CSV or as lines of JSON, until the reader stops reading. */
export async function exportToOutput(
  exports: OperatorPorts['exports'],
  { output }: Call,
  json: boolean | undefined,
): Promise<void> {
  const campaigns = exports.all();
  try {
    if (json) {
      for await (const campaign of campaigns) {
        await output.object(objectOf(campaign));
        if (output.isReaderGone) break;
      }
      return;
    }
    for await (const text of csvOf(campaigns)) {
      await output.write(text);
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
  async function* shown(): AsyncGenerator<CampaignRecord> {
    const all = exports.all((total) => {
      bar = progress(call, 'Reading campaigns', total);
    });
    for await (const campaign of all) {
      yield campaign;
      count += 1;
      if (count % step === 0) bar?.at(count);
    }
  }
  try {
    await writeNewFile(path, csvOf(shown()), replacing);
    return count;
  } catch (error) {
    throw orStopped(error, 'Stopped. Nothing was written.');
  } finally {
    bar?.stop();
  }
}

/** The same columns as in CSV, with the types of JSON. */
function objectOf(campaign: CampaignRecord): object {
  const { mirror } = campaign;
  const empty = Object.fromEntries(Object.keys(fieldsOf(campaign)).map((field) => [field, null]));
  return {
    ...empty,
    id: campaign.id,
    name: campaign.name,
    owner_id: campaign.ownerId,
    is_default: campaign.isDefault,
    created_at: campaign.createdAt,
    ...(mirror && {
      mirror_id: mirror.id,
      target_url: mirror.targetUrl,
      clicks: mirror.clicks,
      updated_externally: mirror.updatedExternally,
      updated_externally_at: mirror.updatedExternallyAt,
      mirror_created_at: mirror.createdAt,
      mirror_updated_at: mirror.updatedAt,
    }),
  };
}
