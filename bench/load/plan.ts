import type { AccessKey } from '@campaign-mirror/domain';
import { newKeys, type Seed } from '../databases/seed.ts';
import type { Load } from './load.ts';

/** Requests of one kind. Campaign n takes the n-th tail, counted from 0, modulo their number. */
export interface Kind {
  /** The status of the answer that is right. */
  readonly expected: number;
  readonly firstCampaign: number;
  readonly campaigns: number;
  /** From one request to the next so many campaigns are passed over. */
  readonly stride: number;
  /** What follows the campaign's number, up to the number that makes the address one of its own. */
  readonly tails: readonly string[];
}

/** What a load asks: requests of these kinds, in this order, again and again. */
export interface Plan {
  readonly kinds: readonly Kind[];
  /** Places in `kinds`. */
  readonly order: readonly number[];
}

/** A request is the head, the campaign, the kind's tail, a number of ten digits, and the end. */
export const requestHead = 'POST /public/v1/mirror/campaign/';
export const requestEnd = '"}';
const digits = 10;

const address = 'https://mirror.example/landing?click={click_id}&n=';
const noAddress = 'mirror.example, the landing page, n=';
const malformedKeys = ['cm_0123456789', 'secret', `cm_${'0'.repeat(49)}`];
/** Twenty requests: twelve good ones (0), two each with a key that is unknown (1), malformed (2), another owner's (3). */
const mixture = [0, 1, 0, 3, 0, 2, 0, 0, 4, 0, 1, 0, 0, 3, 0, 2, 0, 0, 5, 0];

export function planFor({ asks }: Load, { campaigns, keys }: Seed): Plan {
  const all = { firstCampaign: 1, campaigns, stride: strideFor(campaigns) };
  const good: Kind = { ...all, expected: 200, tails: tails(keys) };
  if (asks === 'each') return { kinds: [good], order: [0] };
  if (asks === 'one') return { kinds: [{ ...good, campaigns: 1 }], order: [0] };
  const unknown = { ...all, expected: 401, tails: tails(newKeys(100)) };
  const malformed = { ...all, expected: 401, tails: tails(malformedKeys) };
  const foreign = { ...all, expected: 403, tails: tails([...keys.slice(1), ...keys.slice(0, 1)]) };
  const missing = { ...good, expected: 404, firstCampaign: campaigns + 1_000_000 };
  const invalid = { ...all, expected: 422, tails: tails(keys, noAddress) };
  return { kinds: [good, unknown, malformed, foreign, missing, invalid], order: mixture };
}

/** A prime that is no factor of their number: each campaign gets its turn, far from the one before. */
function strideFor(campaigns: number): number {
  return campaigns % 7_919 === 0 ? 7_907 : 7_919;
}

function tails(keys: readonly (AccessKey | string)[], mirror = address): string[] {
  const body = `{"mirror_endpoint":"${mirror}`;
  const length = body.length + digits + requestEnd.length;
  return keys.map((key) =>
    [
      '/mirror HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      '',
      body,
    ].join('\r\n'),
  );
}
