import { PostgresCampaignExport } from '@campaign-mirror/adapters-persistence';
import { type CampaignRecord, fieldsOf } from '@campaign-mirror/domain';
import { csvOf } from './campaign-csv.ts';
import type { Acting } from './command-database.ts';
import { orStopped } from './interruption.ts';
import { type Replacing, writeNewFile } from './new-file.ts';
import { isReaderGone, print, write } from './output.ts';

/** Writes all campaigns to standard output, in CSV or a line of JSON each, until nobody reads on. */
export async function exportToOutput(acting: Acting, json: boolean | undefined): Promise<void> {
  const campaigns = allOf(acting);
  try {
    if (json) {
      for await (const campaign of campaigns) {
        await print(JSON.stringify(objectOf(campaign)));
        if (isReaderGone()) break;
      }
      return;
    }
    for await (const text of csvOf(campaigns)) {
      await write(text);
      if (isReaderGone()) break;
    }
  } catch (error) {
    throw orStopped(error, 'Stopped. What was written is not all.');
  }
}

/** Writes all campaigns to a file. Tells how many there were. @throws ClearError */
export async function exportToFile(acting: Acting, path: string, replacing: Replacing): Promise<number> {
  let count = 0;
  async function* counted(): AsyncGenerator<CampaignRecord> {
    for await (const campaign of allOf(acting)) {
      count += 1;
      yield campaign;
    }
  }
  try {
    await writeNewFile(path, csvOf(counted()), replacing);
    return count;
  } catch (error) {
    throw orStopped(error, 'Stopped. Nothing was written.');
  }
}

function allOf({ database, interruption }: Acting): AsyncIterable<CampaignRecord> {
  return new PostgresCampaignExport(database.pool, interruption.signal).all();
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
