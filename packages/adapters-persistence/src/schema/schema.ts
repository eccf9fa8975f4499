import { hash, randomBytes } from 'node:crypto';
import type { OperatorAct, Timestamp } from '@campaign-mirror/domain';
import { accessKeyBytes, accessKeyFrom, displayedPart, isRequestId, label } from '@campaign-mirror/domain';

/** The schema that holds all of Campaign Mirror, and nothing else: the migrations of other programs must leave it out. */
export const schema = 'campaign_mirror';

/** Every version of the schema, in order. A released one never changes. */
export const migrationNames = [
  '0001-mirrors-with-facts',
  '0002-feed-and-clicks',
  '0003-promises-kept',
  '0004-conditions-and-hosts',
  '0005-texts-examined-together',
  '0006-range-of-numbers',
  '0007-denied-hosts',
] as const;

/** The format of every time that leaves the database, whatever the session's time zone and date style. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** `2026-11-20T15:36:00.123456Z` for microseconds since 1970. */
export function timestampOf(microseconds: bigint): Timestamp {
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000n).padStart(3, '0')}Z` as Timestamp;
}

/** The database roles of least privilege; `grants.ts` says what each may do. The owner migrates the schema. */
export const roles = {
  owner: 'campaign_mirror_owner',
  operator: 'campaign_mirror_operator',
  service: 'campaign_mirror_service',
  redirector: 'campaign_mirror_redirector',
} as const;

/** One of the four roles of least privilege. */
export type Role = keyof typeof roles;

/** Who acts, and in which request. @throws TypeError if either cannot be stored */
export function namesOf({ operator, requestId }: OperatorAct): [operator: string, requestId: string] {
  if (label(operator) !== operator || !isRequestId(requestId))
    throw new TypeError('an act of the operator needs a name on one line and a request id');
  return [operator, requestId];
}

/**
 * Sets for the rest of the transaction who acts, for the audit's entries, which the database writes. It takes a
 * placeholder for each of `actingValues`.
 */
export const actingText = (...placeholders: readonly string[]) => `
  select set_config('campaign_mirror.operator', ${placeholders[0]}, true),
    set_config('campaign_mirror.request_id', ${placeholders[1]}, true),
    set_config('campaign_mirror.details', ${placeholders[2]}, true)`;

/** `details` are facts that the rows do not contain. */
export function actingValues(
  act: OperatorAct,
  details: Readonly<Record<string, string | number>> = {},
): string[] {
  return [...namesOf(act), JSON.stringify(details)];
}

/** The only form in which a key is stored (contract: keys): its SHA-256. 256 random bits need no salt. */
export function keyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** A new key, and what is stored of it. */
export function newKey() {
  const key = accessKeyFrom(randomBytes(accessKeyBytes));
  return { key, hash: keyHash(key), displayed: displayedPart(key) };
}
