import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf, partsOf } from '@campaign-mirror/domain';
import type { TextRow } from '../connection/rows.ts';
import { safeInteger } from '../connection/rows.ts';
import { timestampAt } from '../schema/times.ts';

/*
 * Array literals (PostgreSQL, section 8.15). The driver would check the type of each element and quote each one, which
 * numbers do not need.
 */

/** An array of elements that need no quotes, and of null. */
function plainArray(elements: readonly (number | boolean | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

function textArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((text) => (text === null ? 'NULL' : `"${escaped(text)}"`)).join(',')}}`;
}

/** Almost no text has what it looks for: to search costs half as much as to replace nothing. */
const escaped = (text: string) => (/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text);

/** The columns of `campaign_mirror.set_mirrors_if`, with times as `timestampAt` reads them. */
const columns = [
  'place',
  'mirror_id',
  'clicks',
  'created_at',
  'changed_at',
  'change_id',
  'caller_is_valid',
  'owner_id',
  'is_default',
  'has_mirror',
  'address_is_as_expected',
  'condition_holds',
  'target_url',
  'updated_externally',
  'updated_externally_at',
  'updated_at',
] as const;

type Column = (typeof columns)[number] | 'entry';

const indexOf = Object.fromEntries([...columns, 'entry'].map((name, index) => [name, index])) as Record<
  Column,
  number
>;

/** A mirror to set, if its campaign has this owner and flag; null: whatever it has. */
export interface MirrorToSet {
  readonly campaign: domain.CampaignId;
  readonly owner: domain.OwnerId | null;
  readonly isDefault: boolean | null;
  readonly address: domain.MirrorAddress;
  /** Only if the mirror has this address. */
  readonly expected?: string;
  readonly condition?: domain.Condition | undefined;
}

export interface CallersMirror extends MirrorToSet {
  readonly by: domain.Caller;
  readonly requestId: string;
}

export type SetResult =
  | domain.SetMirrorResult
  | { readonly kind: 'address-differs' }
  /** Everything was as requested, but nothing was set. */
  | { readonly kind: 'locked' };

/** For callers, with the values of `callersValues`. A statement that waits is for one campaign. */
export const setMirrorsText = ({ waits }: { waits: boolean }) =>
  `select ${columns.join(', ')} from campaign_mirror.set_mirrors_if(
    $1, $2, $3, $4, $5, $7, $8, $9, $10, $6, ${waits})`;

/** For the operator, with the values of `mirrorsValues`, then act, operator, request, owner, details, move. */
export const setMirrorsAsOperatorText = ({ waits }: { waits: boolean }) =>
  `select ${columns.join(', ')}, entry from campaign_mirror.set_mirrors_as_operator_if(
    $1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11, $12)`;

/** An array each of campaigns, their owners and flags, addresses, expected addresses, and conditions, if there are any. */
export function mirrorsValues(mirrors: readonly MirrorToSet[]): (string | null)[] {
  return [
    plainArray(mirrors.map(({ campaign }) => campaign)),
    plainArray(mirrors.map(({ owner }) => owner)),
    plainArray(mirrors.map(({ isDefault }) => isDefault)),
    textArray(mirrors.map(({ address }) => address)),
    textArray(mirrors.map(({ expected = null }) => expected)),
    mirrors.some(({ condition }) => condition) ? textArray(mirrors.map(conditionText)) : null,
  ];
}

function conditionText({ condition }: MirrorToSet): string | null {
  if (!condition) return null;
  return 'oneOf' in condition ? plainArray(condition.oneOf) : `!${plainArray(condition.noneOf)}`;
}

/** The arrays of `mirrorsValues`, then of keys, kinds of subjects, their names, and requests. */
export function callersValues(mirrors: readonly CallersMirror[]): (string | null)[] {
  const subjects = mirrors.map(({ by }) => {
    const key = accessKeyOf(by.subject) ?? null;
    const { kind, name = null } = partsOf(by.subject);
    return { key, kind, name: key === null ? name : null };
  });
  return [
    ...mirrorsValues(mirrors),
    plainArray(subjects.map(({ key }) => key)),
    textArray(subjects.map(({ kind }) => kind)),
    textArray(subjects.map(({ name }) => name)),
    textArray(mirrors.map(({ requestId }) => requestId)),
  ];
}

/** In the order of the mirrors. */
export function resultsOf(mirrors: readonly MirrorToSet[], rows: readonly TextRow[]): SetResult[] {
  const results: SetResult[] = new Array(mirrors.length);
  for (const row of rows) {
    const place = Number(row[indexOf.place]) - 1;
    results[place] = resultOf(mirrors[place] as MirrorToSet, row);
  }
  return results;
}

/** The number of the entry in the audit, which exists if any mirror was set. */
export function entryOf(rows: readonly TextRow[]): number {
  return safeInteger(rows[0]?.[indexOf.entry] ?? '');
}

function resultOf(toSet: MirrorToSet, row: TextRow): SetResult {
  const text = (column: Column) => row[indexOf[column]] as string;
  const isTrue = (column: Column) => isTrueText(text(column));
  const mirrorWith = (fields: Pick<domain.Mirror, 'targetUrl' | Changed>): domain.Mirror => ({
    id: safeInteger(text('mirror_id')) as domain.MirrorId,
    campaignId: toSet.campaign,
    clicks: safeInteger(text('clicks')),
    createdAt: timestampAt(text('created_at')),
    ...fields,
  });
  if (text('changed_at') !== null) {
    const updatedAt = timestampAt(text('changed_at'));
    const changed = { updatedExternally: true, updatedExternallyAt: updatedAt, updatedAt };
    const mirror = mirrorWith({ targetUrl: toSet.address, ...changed });
    return { kind: 'mirror-set', mirror, lastChange: safeInteger(text('change_id')) as domain.HistoryId };
  }
  if (!isTrue('caller_is_valid')) return { kind: 'caller-invalid' };
  if (text('owner_id') === null) return { kind: 'campaign-differs', campaign: undefined };
  const campaign = {
    id: toSet.campaign,
    ownerId: safeInteger(text('owner_id')) as domain.OwnerId,
    isDefault: isTrue('is_default'),
    hasMirror: isTrue('has_mirror'),
  };
  if (!isAsExpected(toSet, campaign)) return { kind: 'campaign-differs', campaign };
  if (!isTrue('condition_holds')) {
    const externallyAt = text('updated_externally_at');
    const mirror = mirrorWith({
      targetUrl: text('target_url') as domain.MirrorAddress,
      updatedExternally: isTrue('updated_externally'),
      updatedExternallyAt: externallyAt === null ? null : timestampAt(externallyAt),
      updatedAt: timestampAt(text('updated_at')),
    });
    return { kind: 'condition-failed', mirror, lastChange: safeInteger(text('change_id')) };
  }
  return { kind: isTrue('address_is_as_expected') ? 'locked' : 'address-differs' };
}

type Changed = 'updatedExternally' | 'updatedExternallyAt' | 'updatedAt';

function isAsExpected(toSet: MirrorToSet, { ownerId, isDefault, hasMirror }: domain.Campaign): boolean {
  const isOwners = toSet.owner === null || toSet.owner === ownerId;
  const isFlagged = toSet.isDefault === null || toSet.isDefault === isDefault;
  return hasMirror && isOwners && isFlagged;
}

/** Whether a boolean column in PostgreSQL's text form is true (section 8.6). */
export const isTrueText = (column: string | null) => column === 't';
