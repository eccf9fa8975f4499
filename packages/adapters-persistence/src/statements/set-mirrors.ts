import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf, partsOf } from '@campaign-mirror/domain';
import type { TextRow } from '../connection/rows.ts';
import { safeInteger } from '../connection/rows.ts';
import { timestampAt } from '../schema/times.ts';

/* The two doors of `schema/set-mirrors.sql`: their arguments and their rows. */

/** A mirror to set, if it has this owner, flag, address and last change; null or undefined: any. */
export interface MirrorToSet {
  readonly campaign: domain.CampaignId;
  readonly owner: domain.OwnerId | null;
  readonly isDefault: boolean | null;
  readonly address: domain.MirrorAddress;
  readonly expected?: string;
  readonly lastChange?: number | undefined;
}

export interface CallersMirror extends MirrorToSet {
  readonly by: domain.Caller;
  readonly requestId: string;
}

export type SetResult =
  | domain.SetMirrorResult
  | { readonly kind: 'address-differs' }
  /** Everything was as requested, but another transaction has locked the mirror. */
  | { readonly kind: 'locked' };

/** The columns of `campaign_mirror.set_result`. */
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
  'target_url',
  'updated_externally',
  'updated_externally_at',
  'updated_at',
  'entry',
] as const;

type Column = (typeof columns)[number];

const indexOf = Object.fromEntries(columns.map((name, index) => [name, index])) as Record<Column, number>;

/** With the values of `callersValues`. A statement that waits is for one campaign. */
export const setMirrorsText = ({ waits }: { waits: boolean }) =>
  `select ${columns} from campaign_mirror.set_mirrors($1, $2, $3, $4, $5, $7, $8, $9, $10, $6, ${waits})`;

/** With the values of `mirrorsValues`, then act, operator, request, details, and the move that it continues. */
export const setMirrorsAsOperatorText = ({ waits }: { waits: boolean }) =>
  `select ${columns} from campaign_mirror.set_mirrors_as_operator(
    $1, $2, $3, $4, $5, $6, ${waits}, $7, $8, $9, $10, $11)`;

/*
 * Array literals (PostgreSQL, section 8.15). The driver would check the type of each element and quote each one, which
 * numbers do not need.
 */
function plainArray(elements: readonly (number | boolean | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

function textArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((text) => (text === null ? 'NULL' : `"${escaped(text)}"`)).join(',')}}`;
}

/** Almost no text has what it looks for: to search costs half as much as to replace nothing. */
const escaped = (text: string) => (/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text);

/** An array each of campaigns, their owners and flags, addresses, expected addresses and last changes. */
export function mirrorsValues(mirrors: readonly MirrorToSet[]): string[] {
  return [
    plainArray(mirrors.map(({ campaign }) => campaign)),
    plainArray(mirrors.map(({ owner }) => owner)),
    plainArray(mirrors.map(({ isDefault }) => isDefault)),
    textArray(mirrors.map(({ address }) => address)),
    textArray(mirrors.map(({ expected = null }) => expected)),
    plainArray(mirrors.map(({ lastChange = null }) => lastChange)),
  ];
}

/** The arrays of `mirrorsValues`, then of keys, actors, their names where they have no key, and requests. */
export function callersValues(mirrors: readonly CallersMirror[]): string[] {
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
export function entryOf(rows: readonly TextRow[]): domain.AuditId {
  return safeInteger(rows[0]?.[indexOf.entry] ?? '') as domain.AuditId;
}

function resultOf(toSet: MirrorToSet, row: TextRow): SetResult {
  const text = (column: Column) => row[indexOf[column]] as string;
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
  if (!isTrueText(text('caller_is_valid'))) return { kind: 'caller-invalid' };
  if (text('owner_id') === null) return { kind: 'campaign-differs', campaign: undefined };
  const { owner, isDefault, expected } = toSet;
  const campaign = {
    id: toSet.campaign,
    ownerId: safeInteger(text('owner_id')) as domain.OwnerId,
    isDefault: isTrueText(text('is_default')),
    hasMirror: text('mirror_id') !== null,
  };
  const isOwners = owner === null || owner === campaign.ownerId;
  const isFlagged = isDefault === null || isDefault === campaign.isDefault;
  if (!campaign.hasMirror || !isOwners || !isFlagged) return { kind: 'campaign-differs', campaign };
  if (expected !== undefined && expected !== text('target_url')) return { kind: 'address-differs' };
  const lastChange = safeInteger(text('change_id'));
  if (lastChange === (toSet.lastChange ?? lastChange)) return { kind: 'locked' };
  const externallyAt = text('updated_externally_at');
  const mirror = mirrorWith({
    targetUrl: text('target_url') as domain.MirrorAddress,
    updatedExternally: isTrueText(text('updated_externally')),
    updatedExternallyAt: externallyAt === null ? null : timestampAt(externallyAt),
    updatedAt: timestampAt(text('updated_at')),
  });
  return { kind: 'condition-failed', mirror, lastChange };
}

type Changed = 'updatedExternally' | 'updatedExternallyAt' | 'updatedAt';

/** Whether a boolean column in PostgreSQL's text form is true (section 8.6). */
export const isTrueText = (column: string | null) => column === 't';
