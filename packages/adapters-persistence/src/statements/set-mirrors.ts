import {
  accessKeyOf,
  type Caller,
  type Campaign,
  type CampaignId,
  type Mirror,
  type MirrorAddress,
  type MirrorId,
  type OwnerId,
  partsOf,
} from '@campaign-mirror/domain';
import { safeInteger } from '../connection/rows.ts';
import { plainArray, textArray } from './array-literal.ts';
import { timestampAt } from './epoch-seconds.ts';
import type { TextRow } from './extended-query.ts';

/** The columns of `campaign_mirror.set_mirrors`, with times as `timestampAt` reads them. */
const columns = [
  'place',
  'mirror_id',
  'clicks',
  'created_at',
  'changed_at',
  'caller_is_valid',
  'owner_id',
  'is_default',
  'has_mirror',
  'address_is_as_expected',
] as const;

type Column = (typeof columns)[number] | 'entry';

const at = Object.fromEntries([...columns, 'entry'].map((name, index) => [name, index])) as Record<
  Column,
  number
>;

/** A mirror to set, if its campaign has this owner and flag; null: whatever it has. */
export interface MirrorToSet {
  readonly campaign: CampaignId;
  readonly owner: OwnerId | null;
  readonly isDefault: boolean | null;
  readonly address: MirrorAddress;
  /** Only if the mirror has this address. One that no mirror can have makes the statement only look. */
  readonly expected?: string;
}

/** The same for a caller. */
export interface CallersMirror extends MirrorToSet {
  readonly by: Caller;
  readonly requestId: string;
}

/** What came of a mirror to set. */
export type SetResult =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  | { readonly kind: 'caller-invalid' }
  | { readonly kind: 'campaign-differs'; readonly campaign: Campaign | undefined }
  | { readonly kind: 'address-differs' }
  /** All was as it was asked for, and nothing was set. */
  | { readonly kind: 'locked' };

const places = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `$${from + index}`);

/** For callers, with the values of `callersValues`; one that waits takes one campaign. */
export const setMirrorsText = ({ waits }: { waits: boolean }) =>
  `select ${columns.join(', ')} from campaign_mirror.set_mirrors(${places(9).join(', ')}, ${waits})`;

/** For the operator, with those of `mirrorsValues`, then: act, operator, request, owner, details, the move it is part of. */
export const setMirrorsAsOperatorText = ({ waits }: { waits: boolean }) =>
  `select ${columns.join(', ')}, entry from campaign_mirror.set_mirrors_as_operator(
    ${places(5).join(', ')}, ${waits}, ${places(6, 6).join(', ')})`;

/** Campaigns, their owners and flags, addresses, expected addresses. */
export function mirrorsValues(mirrors: readonly MirrorToSet[]): string[] {
  return [
    plainArray(mirrors.map(({ campaign }) => campaign)),
    plainArray(mirrors.map(({ owner }) => owner)),
    plainArray(mirrors.map(({ isDefault }) => isDefault)),
    textArray(mirrors.map(({ address }) => address)),
    textArray(mirrors.map(({ expected = null }) => expected)),
  ];
}

/** Those, then: keys, actors, their names, requests. */
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

/** What came of each, in their order. */
export function resultsOf(mirrors: readonly MirrorToSet[], rows: readonly TextRow[]): SetResult[] {
  // Otherwise a caller would wait forever.
  if (rows.length !== mirrors.length) throw new Error(`${rows.length} rows for ${mirrors.length} mirrors`);
  const results: SetResult[] = new Array(mirrors.length);
  for (const row of rows) {
    const place = Number(row[at.place]) - 1;
    results[place] = resultOf(mirrors[place] as MirrorToSet, row);
  }
  return results;
}

/** The number of the audit's entry, which there is where any mirror was set. */
export function entryOf(rows: readonly TextRow[]): number {
  return safeInteger(rows[0]?.[at.entry] ?? '');
}

function resultOf(asked: MirrorToSet, row: TextRow): SetResult {
  const text = (column: Column) => row[at[column]] as string;
  if (row[at.mirror_id] !== null) {
    const updatedAt = timestampAt(text('changed_at'));
    const mirror = {
      id: safeInteger(text('mirror_id')) as MirrorId,
      campaignId: asked.campaign,
      targetUrl: asked.address,
      clicks: safeInteger(text('clicks')),
      updatedExternally: true,
      updatedExternallyAt: updatedAt,
      createdAt: timestampAt(text('created_at')),
      updatedAt,
    };
    return { kind: 'mirror-set', mirror };
  }
  if (!isTrue(text('caller_is_valid'))) return { kind: 'caller-invalid' };
  if (row[at.owner_id] === null) return { kind: 'campaign-differs', campaign: undefined };
  const campaign = {
    id: asked.campaign,
    ownerId: safeInteger(text('owner_id')) as OwnerId,
    isDefault: isTrue(text('is_default')),
    hasMirror: isTrue(text('has_mirror')),
  };
  if (!isAsAsked(asked, campaign)) return { kind: 'campaign-differs', campaign };
  return { kind: isTrue(text('address_is_as_expected')) ? 'locked' : 'address-differs' };
}

function isAsAsked(asked: MirrorToSet, { ownerId, isDefault, hasMirror }: Campaign): boolean {
  const isOwners = asked.owner === null || asked.owner === ownerId;
  return hasMirror && isOwners && (asked.isDefault === null || asked.isDefault === isDefault);
}

/** As PostgreSQL writes a boolean (section 8.6). */
export function isTrue(column: string | null): boolean {
  return column === 't';
}
