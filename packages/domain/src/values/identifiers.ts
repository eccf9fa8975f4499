import type { Branded } from './branded.ts';

/** Identifies a campaign: an integer from 1 to 2^53-1. */
export type CampaignId = Branded<number, 'CampaignId'>;
/** Identifies the owner of a campaign: an integer from 1 to 2^53-1. Owners are not records of this service. */
export type OwnerId = Branded<number, 'OwnerId'>;
/** Identifies a mirror: an integer from 1 to 2^53-1. */
export type MirrorId = Branded<number, 'MirrorId'>;
/** Identifies an access key (not the key itself): an integer from 1 to 2^53-1. */
export type AccessKeyId = Branded<number, 'AccessKeyId'>;
/**
 * Identifies a change in the history: an integer from 1 to 2^53-1 that increases with each change of a campaign's
 * mirror.
 */
export type HistoryId = Branded<number, 'HistoryId'>;
/** Identifies an entry of the audit: an integer from 1 to 2^53-1. */
export type AuditId = Branded<number, 'AuditId'>;

type Identifier = CampaignId | OwnerId | MirrorId | AccessKeyId | HistoryId | AuditId;

/**
 * Reads an identifier: ASCII digits without a sign or a leading zero, from 1 to 2^53-1. Undefined for anything else
 * (contract: the path).
 */
export function identifier<Id extends Identifier>(text: string): Id | undefined {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value as Id) : undefined;
}

export const campaignId = (text: string) => identifier<CampaignId>(text);
export const ownerId = (text: string) => identifier<OwnerId>(text);
export const mirrorId = (text: string) => identifier<MirrorId>(text);
export const accessKeyId = (text: string) => identifier<AccessKeyId>(text);
export const historyId = (text: string) => identifier<HistoryId>(text);
export const auditId = (text: string) => identifier<AuditId>(text);
