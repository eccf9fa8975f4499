import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Seed } from '../database/seed.ts';

/** A load: a number of connections, each with one request at a time. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  /** Of the expected answers. */
  readonly status: string;
}

/** Loads of 64 connections. */
const special = ['hot', 'held', 'first-use', '401', '403', '404'];

/** `name`: one of these, or a number of connections. @throws InvalidArgumentError */
export function loadOf(name: string): Load {
  if (special.includes(name)) return { name, connections: 64, status: name.startsWith('4') ? name : '200' };
  if (/^[1-9][0-9]{0,3}$/.test(name)) return { name, connections: Number(name), status: '200' };
  throw new InvalidArgumentError(
    `It takes numbers of connections from 1 to 9999, and ${special.join(', ')}.`,
  );
}

export const loadsOf = (text: string) => [...new Set(text.split(','))].map(loadOf);

/** Whether only `compare` accepts the load. */
export const isOfCompare = ({ name }: Load) => name !== 'hot' && special.includes(name);

/** Whether each request has a new key. */
export const hasKeyEach = (name: string) => name === 'first-use' || name === '401';

/**
 * The requests of a load: request n is the head, its campaign, the middle, a key, the rest, n in ten digits, and the
 * end, all in ASCII. No address is sent twice.
 */
export interface Plan {
  readonly head: string;
  readonly middle: string;
  /** Campaign n takes key n modulo their number, counted from 0. */
  readonly keys: readonly string[];
  /** The file with a key for each request. */
  readonly keyFile?: string | undefined;
  readonly rest: string;
  readonly ending: string;
  /** The time that a connection waits before each request, in milliseconds; none by default. */
  readonly pause?: number;
  /** Request n is for campaign 1 + n × stride modulo this. */
  readonly campaigns: number;
  readonly stride: number;
}

/** The number before that of the first request. */
export const numbersBefore = 1_000_000_000;

/** A prime that is no factor of the number of campaigns: each has its turn, far from the one before. */
export const strideOf = (campaigns: number) => (campaigns % 7_919 === 0 ? 7_907 : 7_919);

export function planFor({ campaigns, keys }: Seed, { name }: Load, keyFile: string): Plan {
  const ending = '"}';
  const body = '{"mirror_endpoint":"https://mirror.example/landing?click={click_id}&n=';
  const length = body.length + String(numbersBefore).length + ending.length;
  return {
    // With these digits before it, a number is too long for an existing campaign.
    head: `POST /public/v1/mirror/campaign/${name === '404' ? '10000000' : ''}`,
    middle: '/mirror HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ',
    keys: name === '403' ? [...keys.slice(1), ...keys.slice(0, 1)] : keys,
    ...(hasKeyEach(name) && { keyFile }),
    rest: `\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    ending,
    campaigns: name === 'hot' ? 1 : campaigns,
    stride: strideOf(campaigns),
  };
}
