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
 * Reads an identifier: ASCII digits without a sign or a leading zero, from 1 to 2^53-1. Undefined for anything else
 * (contract: the path).
 */
function identifier<Id extends Identifier<string>>(text: string): Id | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value as Id) : undefined;
}

/** Reads a campaign's identifier; undefined if it is not one. */
export const campaignId = (text: string) => identifier<CampaignId>(text);
/** Reads an owner's identifier; undefined if it is not one. */
export const ownerId = (text: string) => identifier<OwnerId>(text);
/** Reads a mirror's identifier; undefined if it is not one. */
export const mirrorId = (text: string) => identifier<MirrorId>(text);
/** Reads an access key's identifier; undefined if it is not one. */
export const accessKeyId = (text: string) => identifier<AccessKeyId>(text);
/** Reads a change's identifier; undefined if it is not one. */
export const historyId = (text: string) => identifier<HistoryId>(text);
/** Reads the identifier of an entry of the audit; undefined if it is not one. */
export const auditId = (text: string) => identifier<AuditId>(text);
