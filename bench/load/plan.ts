import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Seed } from '../database/seed.ts';

/** A load: so many connections, each with one request at a time, on all campaigns in turn or on one. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  readonly isHot: boolean;
}

/** The name is a number of connections, or `hot`. @throws InvalidArgumentError that says what is accepted */
export function loadOf(name: string): Load {
  if (name === 'hot') return { name, connections: 64, isHot: true };
  if (/^[1-9][0-9]{0,3}$/.test(name) && Number(name) <= 2048)
    return { name, connections: Number(name), isHot: false };
  throw new InvalidArgumentError('It takes numbers of connections from 1 to 2048, and hot.');
}

export const loadsOf = (text: string) => [...new Set(text.split(','))].map(loadOf);

/**
 * What a load asks, for the load generators: the n-th request is the head, its campaign, the tail with the key of the
 * campaign's owner, n in ten digits, and the end. So no address comes twice. All is ASCII.
 */
export interface Plan {
  readonly head: string;
  /** Campaign n takes the n-th, counted from 0, modulo their number. */
  readonly tails: readonly string[];
  readonly end: string;
  /** The campaigns are 1 + n × stride modulo this. */
  readonly campaigns: number;
  readonly stride: number;
}

const digits = 10;

export function planFor({ campaigns, keys }: Seed, isHot = false): Plan {
  const end = '"}';
  const body = '{"mirror_endpoint":"https://mirror.example/landing?click={click_id}&n=';
  const bodyHeaders = `Content-Type: application/json\r\nContent-Length: ${body.length + digits + end.length}`;
  const tails = keys.map(
    (key) =>
      `/mirror HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${bodyHeaders}\r\n\r\n${body}`,
  );
  const head = 'POST /public/v1/mirror/campaign/';
  // A prime that is no factor of their number: each campaign gets its turn, far from the one before.
  const stride = campaigns % 7_919 === 0 ? 7_907 : 7_919;
  return { head, tails, end, campaigns: isHot ? 1 : campaigns, stride };
}

/** The plan as a Lua file that returns it. JSON's strings are Lua's too, as long as all is ASCII. */
export function asLua({ head, tails, end, campaigns, stride }: Plan): string {
  const text = JSON.stringify;
  return `return { head = ${text(head)}, ending = ${text(end)}, campaigns = ${campaigns}, stride = ${stride},
  tails = {${tails.map((tail) => text(tail)).join(',\n')}} }\n`;
}
