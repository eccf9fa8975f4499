import type { Branded } from './branded.ts';

/** An integer from 1 to 2^53-1. */
type Identifier<Name extends string> = Branded<number, Name>;

/** Identifies a campaign. */
export type CampaignId = Identifier<'CampaignId'>;
/** Identifies an owner, who is not a record of this service. */
export type OwnerId = Identifier<'OwnerId'>;
/** Identifies a mirror. */
export type MirrorId = Identifier<'MirrorId'>;
/** Identifies an access key; it is not the key itself. */
export type AccessKeyId = Identifier<'AccessKeyId'>;
/** Identifies a change in the history; it increases with each change of a campaign's mirror. */
export type HistoryId = Identifier<'HistoryId'>;
/** Identifies an entry of the audit. */
export type AuditId = Identifier<'AuditId'>;

/**
 * Reads an identifier: an integer from 1 to 2^53-1, or its ASCII digits without a sign or a leading zero. Undefined for
 * anything else (contract: the path).
 */
function identifier<Id extends Identifier<string>>(given: string | number): Id | undefined {
  const isNumber = typeof given === 'number';
  const value = isNumber || /^[1-9][0-9]{0,15}$/.test(given) ? Number(given) : 0;
  return Number.isSafeInteger(value) && value > 0 ? (value as Id) : undefined;
}

/**
 * Whether a text can link the history to the log lines of a request: 1 to 128 visible ASCII characters, which every store
 * and log holds as they are.
 */
export const isRequestId = (text: string): boolean => /^[\x21-\x7e]{1,128}$/.test(text);

/** Reads a campaign's identifier; undefined if it is not one. */
export const campaignId = (given: string | number) => identifier<CampaignId>(given);
/** Reads an owner's identifier; undefined if it is not one. */
export const ownerId = (given: string | number) => identifier<OwnerId>(given);
/** Reads a mirror's identifier; undefined if it is not one. */
export const mirrorId = (given: string | number) => identifier<MirrorId>(given);
/** Reads an access key's identifier; undefined if it is not one. */
export const accessKeyId = (given: string | number) => identifier<AccessKeyId>(given);
/** Reads a change's identifier; undefined if it is not one. */
export const historyId = (given: string | number) => identifier<HistoryId>(given);
/** Reads the identifier of an entry of the audit; undefined if it is not one. */
export const auditId = (given: string | number) => identifier<AuditId>(given);
