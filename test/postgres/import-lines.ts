import { noDeniedHosts } from '@campaign-mirror/domain';
import {
  type CampaignFields,
  campaignFields,
  type ImportLine,
  importedCampaign,
} from '@campaign-mirror/domain/operator';

export const writing = { dryRun: false, allowDuplicates: true };

/** The lines of a file with these fields, the rest of which are empty. Its first line is its header. */
export async function* linesOf(...all: readonly Partial<CampaignFields>[]): AsyncGenerator<ImportLine> {
  const nothing = Object.fromEntries(campaignFields.map((field) => [field, ''])) as CampaignFields;
  for (const [at, given] of all.entries()) {
    yield { line: at + 2, ...importedCampaign({ ...nothing, ...given }, noDeniedHosts) };
  }
}
