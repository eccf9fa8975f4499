import { campaignColumns, type ImportedCampaign, type ImportLine } from '@campaign-mirror/domain/operator';

export const writing = { dryRun: false, allowDuplicates: true };

/** A file with one campaign of this owner. */
export async function* oneLine(ownerId: number, id: number | null = null): AsyncGenerator<ImportLine> {
  const empty = Object.fromEntries(campaignColumns.map((column) => [column, null]));
  yield { line: 2, campaign: { ...empty, id, owner_id: ownerId } as ImportedCampaign, faults: [] };
}
