import { type Branded, type Identifier, identifierReader, reader } from './reader.ts';

/** The number of a campaign. */
export type CampaignId = Identifier<'CampaignId'>;
/** The number of an owner. This service has no records of owners. */
export type OwnerId = Identifier<'OwnerId'>;
/** The number of a mirror. */
export type MirrorId = Identifier<'MirrorId'>;
/** The number of an access key, not the key itself. */
export type AccessKeyId = Identifier<'AccessKeyId'>;
/** The number of a change in the history; it increases with each change of a campaign's mirror. */
export type HistoryId = Identifier<'HistoryId'>;

/** Reads the number of a campaign, or its ASCII digits without a sign or a leading zero (contract: the path). */
export const campaignId = identifierReader<CampaignId>('a campaign');
/** Reads the number of an owner, as `campaignId` does. */
export const ownerId = identifierReader<OwnerId>('an owner');
/** Reads the number of a mirror, as `campaignId` does. */
export const mirrorId = identifierReader<MirrorId>('a mirror');
/** Reads the number of an access key, as `campaignId` does. */
export const accessKeyId = identifierReader<AccessKeyId>('an access key');
/** Reads the number of a change, as `campaignId` does. */
export const historyId = identifierReader<HistoryId>('a change');

/** Whether every store and log can keep the text as a request id: 1 to 128 visible ASCII characters. */
export const isRequestId = (text: string): boolean =>
  typeof text === 'string' && /^[\x21-\x7e]{1,128}$/.test(text);

/** The name of a campaign or an access key: 1 to 200 Unicode code points on one line, without control characters. */
export type Label = Branded<string, 'Label'>;

/** Reads a label, without the white space around it. */
export const label = reader('a label: 1 to 200 characters on one line', (text: string) => {
  const trimmed = text.trim();
  const isOneLine = trimmed !== '' && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(trimmed);
  return isOneLine && [...trimmed].length <= 200 ? (trimmed as Label) : undefined;
});

/** Who changes a mirror, as the history records it: a kind and a name, such as `key:17`; or `operator`. */
export type Subject = Branded<string, 'Subject'>;

/** The subject of a caller with this access key. The write proves that the key is valid. */
export const keySubject = (id: AccessKeyId): Subject => `key:${id}` as Subject;

/**
 * The subject of a caller without an access key; no write proves it. `kind`: 1 to 20 characters of `a-z`, `0-9` and
 * `-`, starting with a letter, neither `key` nor `operator`. `name`: 1 to 200 characters on one line.
 */
export const subject = reader('a kind and a name of a caller without a key', (kind: string, name: string) => {
  if (kind === 'key' || kind === 'operator' || !/^[a-z][a-z0-9-]{0,19}$/.test(kind)) return undefined;
  // These characters PostgreSQL stores and a log line shows unchanged.
  return /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u.test(name) ? (`${kind}:${name}` as Subject) : undefined;
});

/** The kind and the name of a subject; `operator` has no name. */
export function partsOf(subject: Subject): { readonly kind: string; readonly name: string | undefined } {
  const colon = subject.indexOf(':');
  if (colon === -1) return { kind: subject, name: undefined };
  return { kind: subject.slice(0, colon), name: subject.slice(colon + 1) };
}

/** A UTC time with microseconds, `2026-11-20T15:36:00.123456Z` (ISO 8601), by the repository's clock. */
export type Timestamp = Branded<string, 'Timestamp'>;

/** Reads a time in this form, in the years 1 to 9999; the day must exist. */
export const timestamp = reader('a time such as 2026-11-20T15:36:00.123456Z', (text: string) => {
  const [, day = ''] = /^(?!0000)(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/.exec(text) ?? [];
  // `Date` turns February 30 into a day of March.
  const parsed = new Date(`${day}T00:00:00Z`);
  const exists = Number.isFinite(parsed.getTime()) && parsed.toISOString().startsWith(day);
  return exists ? (text as Timestamp) : undefined;
});
