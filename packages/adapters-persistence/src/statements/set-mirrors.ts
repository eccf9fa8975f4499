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
  type Timestamp,
} from '@campaign-mirror/domain';
import { safeInteger } from '../connection/rows.ts';
import type { TextRow } from './statements.ts';

/*
 * Array literals (PostgreSQL, section 8.15). The driver would check the type of each element and quote each one, which
 * numbers and hexadecimal do not need.
 */

/** For elements that need no quotes, and null. */
export function plainArray(elements: readonly (number | boolean | null)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`;
}

export function byteaArray(elements: readonly Buffer[]): string {
  return `{${elements.map((bytes) => `\\\\x${bytes.toString('hex')}`).join(',')}}`;
}

export function textArray(elements: readonly (string | null)[]): string {
  return `{${elements.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}

/** Stands for an infinite time, for which ISO 8601 has no form. */
const first = '0001-01-01T00:00:00.000000Z' as Timestamp;
const last = '9999-12-31T23:59:59.999999Z' as Timestamp;

/**
 * Converts what PostgreSQL's `extract(epoch …)` gives (section 9.9.1) to a timestamp: seconds since 1970, with six
 * fractional digits whatever the session's time zone and `DateStyle`; faster than `to_char`. An infinite time becomes the
 * first or the last moment of the years 1 to 9999.
 */
export function timestampAt(seconds: string): Timestamp {
  const point = seconds.indexOf('.');
  let whole = Number(seconds.slice(0, point));
  let fraction = seconds.slice(point + 1);
  // The fraction counts forward from the preceding second, also before 1970.
  if (seconds.startsWith('-') && fraction !== '000000') {
    whole -= 1;
    fraction = String(1_000_000 - Number(fraction)).padStart(6, '0');
  }
  const at = new Date(whole * 1_000);
  if (Number.isNaN(at.getTime())) return seconds.startsWith('-') ? first : last;
  // Faster than `toISOString`; it runs for each answer.
  const year = String(at.getUTCFullYear()).padStart(4, '0');
  const date = `${year}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  return `${date}T${time}.${fraction}Z` as Timestamp;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

function two(number: number): string | undefined {
  return twoDigits[number];
}

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
