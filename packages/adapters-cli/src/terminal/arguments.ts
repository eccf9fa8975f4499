import {
  type AccessKeyId,
  type AuditId,
  accessKeyId,
  auditId,
  type CampaignId,
  campaignId,
  type HistoryId,
  type Host,
  historyId,
  host,
  type Label,
  label,
  leastPrunedAge,
  longestLabel,
  type OwnerId,
  ownerId,
  type Timestamp,
  timestamp,
} from '@campaign-mirror/domain';
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** Parsers for arguments. Each throws `InvalidArgumentError`, which says what is accepted. */
export const campaignArgument = (text: string): CampaignId => campaignId(text) ?? notAnIdentifier();
export const ownerArgument = (text: string): OwnerId => ownerId(text) ?? notAnIdentifier();
export const keyArgument = (text: string): AccessKeyId => accessKeyId(text) ?? notAnIdentifier();
export const changeArgument = (text: string): HistoryId => historyId(text) ?? notAnIdentifier();
export const auditArgument = (text: string): AuditId => auditId(text) ?? notAnIdentifier();
export const limitArgument = (text: string): number => campaignId(text) ?? notAnIdentifier();

const notAnIdentifier = () => refuse('A whole number from 1 to 9007199254740991 is expected.');

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** A hundred years, in seconds. */
const longest = 36_525 * seconds.d;

/** A lifetime in seconds. */
export function lifeArgument(text: string): number {
  return secondsOf(text) ?? refuse('A time such as 1s, 30m, 12h or 90d, at most 36525d, is expected.');
}

/** A grace period in seconds, 0 or more. */
export function graceArgument(text: string): number {
  if (/^0[smhd]?$/.test(text)) return 0;
  return secondsOf(text) ?? refuse('A time such as 0s, 30m, 24h or 7d, at most 36525d, is expected.');
}

/** An age in seconds, at least that of the youngest changes that can be pruned. */
export function ageArgument(text: string): number {
  const age = secondsOf(text) ?? 0;
  return age >= leastPrunedAge ? age : refuse('An age such as 400d or 48h, from 1d to 36525d, is expected.');
}

/** A UTC time: a day, or to the minute, second or microsecond. */
export function momentArgument(text: string): Timestamp {
  const [, day, minute = '00:00', second = '00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?Z)?$/.exec(text) ?? [];
  return (
    timestamp(`${day}T${minute}:${second}.${fraction.padEnd(6, '0')}Z`) ??
    refuse('A time in UTC such as 2026-11-20 or 2026-11-20T15:36:00Z is expected.')
  );
}

function secondsOf(text: string): number | undefined {
  const [, count, unit] = /^([1-9][0-9]{0,9})([smhd])$/.exec(text) ?? [];
  const time = Number(count) * seconds[unit as keyof typeof seconds];
  return time <= longest ? time : undefined;
}

function refuse(accepted: string): never {
  throw new InvalidArgumentError(accepted);
}

/** A display name: not empty, on one line, at most 200 characters. */
export const nameArgument = (text: string): Label =>
  label(text) ?? refuse(`A name on one line, of 1 to ${longestLabel} characters, is expected.`);

export const hostArgument = (text: string): Host =>
  host(text) ??
  refuse('A host such as old.example or [2001:db8::1], without a scheme, a port or a path, is expected.');
