import type * as domain from '@campaign-mirror/domain';
import { partsOf } from '@campaign-mirror/domain';
import type { BatchSetResult, MirrorToSet } from '@campaign-mirror/domain/operator';
import type { Columns, TextRow } from '../connection/rows.ts';
import * as rows from '../connection/rows.ts';
import { timestampAt } from '../schema/stored-values.ts';

export type CallersMirror = MirrorToSet & Pick<domain.MirrorChange, 'by' | 'key' | 'requestId'>;

/** The statement for callers. If it waits for a lock, it must have one campaign. */
export const settingMirrors = ({ waits }: { waits: boolean }) => ({
  text: `select * from campaign_mirror.set_mirrors($1, $2, $3, $4, $5, $7, $8, $9, $10, $6, ${waits})`,
  values: callersValues,
  read: (row: TextRow | undefined, mirror: CallersMirror) => resultOf(mirror, row as TextRow),
});

/** Arrays of campaigns, owners, flags, addresses, expected addresses and last changes. */
export const mirrorsValues = (mirrors: readonly MirrorToSet[]): unknown[][] => [
  mirrors.map(({ campaign }) => campaign),
  mirrors.map(({ owner }) => owner),
  mirrors.map(({ isDefault }) => isDefault),
  mirrors.map(({ address }) => address),
  mirrors.map(({ expected }) => expected),
  mirrors.map(({ lastChange }) => lastChange),
];

/** The arrays of `mirrorsValues`, then keys, actors, subjects (null with a key) and requests. */
function callersValues(mirrors: readonly CallersMirror[]): string[] {
  const actors = mirrors.map(({ by }) => partsOf(by.subject));
  const columns = [
    ...mirrorsValues(mirrors),
    mirrors.map(({ key }) => key),
    actors.map(({ kind }) => kind),
    actors.map(({ name }, index) => (mirrors[index]?.key === undefined ? name : undefined)),
    mirrors.map(({ requestId }) => requestId),
  ];
  return columns.map(rows.arrayText);
}

export function resultsOf(mirrors: readonly MirrorToSet[], textRows: readonly TextRow[]): BatchSetResult[] {
  const placed = rows.byPlace(textRows);
  return mirrors.map((mirror, index) => resultOf(mirror, placed.get(index + 1) as TextRow));
}

/** `row`: the columns of `campaign_mirror.set_result`. */
function resultOf(toSet: MirrorToSet, row: TextRow): BatchSetResult {
  const [, mirrorId, clicks, createdAt, changedAt, changeId, ...seen] = row as Columns<14>;
  const mirrorWith = (fields: Omit<domain.Mirror, 'id' | 'campaignId' | 'clicks' | 'createdAt'>) => ({
    id: rows.safeInteger(mirrorId) as domain.MirrorId,
    campaignId: toSet.campaign,
    clicks: rows.safeInteger(clicks),
    createdAt: timestampAt(createdAt),
    ...fields,
  });
  if (changedAt !== null) {
    const updatedAt = timestampAt(changedAt);
    const changed = { updatedExternally: true, updatedExternallyAt: updatedAt, updatedAt };
    const mirror = mirrorWith({ targetUrl: toSet.address, ...changed });
    return { kind: 'mirror-set', mirror, lastChange: rows.safeInteger(changeId) as domain.HistoryId };
  }
  const [isValid, ownerId, isDefault, targetUrl, updatedExternally, externallyAt, updatedAt] = seen;
  if (!rows.isTrueText(isValid)) return { kind: 'caller-invalid' };
  if (ownerId === null) return { kind: 'campaign-differs', campaign: undefined };
  const campaign = {
    id: toSet.campaign,
    ownerId: rows.safeInteger(ownerId) as domain.OwnerId,
    isDefault: rows.isTrueText(isDefault),
    hasMirror: mirrorId !== null,
  };
  const isOwners = toSet.owner === null || toSet.owner === campaign.ownerId;
  const isFlagged = toSet.isDefault === null || toSet.isDefault === campaign.isDefault;
  if (!campaign.hasMirror || !isOwners || !isFlagged) return { kind: 'campaign-differs', campaign };
  const lastChange = rows.safeInteger(changeId);
  const { expected = targetUrl, lastChange: expectedChange = lastChange } = toSet;
  if (targetUrl === expected && lastChange === expectedChange) return { kind: 'locked' };
  const mirror = mirrorWith({
    targetUrl: targetUrl as domain.MirrorAddress,
    updatedExternally: rows.isTrueText(updatedExternally),
    updatedExternallyAt: externallyAt === null ? null : timestampAt(externallyAt),
    updatedAt: timestampAt(updatedAt),
  });
  return { kind: 'condition-failed', mirror, lastChange };
}
