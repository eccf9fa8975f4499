import type { ImportedCampaign, ImportLine } from '@campaign-mirror/domain/operator';

export const writing = { dryRun: false, allowDuplicates: true };

/** A file with one campaign of this owner. */
export async function* oneLine(ownerId: number, id: number | null = null): AsyncGenerator<ImportLine> {
  const campaign = { id, name: null, ownerId, isDefault: false, createdAt: null, mirror: null };
  yield { line: 2, campaign: campaign as ImportedCampaign };
}
