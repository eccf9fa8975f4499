import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { Seed } from '../database/seed.ts';

/** A load: so many connections, each with one request at a time. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  /** Of the answers. */
  readonly status: string;
}

/** The loads of 64 connections that are no usual updates of all campaigns in turn, and the answers that they get. */
const special: Readonly<Record<string, string>> = {
  hot: '200',
  held: '200',
  'first-use': '200',
  401: '401',
  403: '403',
  404: '404',
};

/** The name is one of these or a number of connections. @throws InvalidArgumentError that says what is accepted */
export function loadOf(name: string): Load {
  const status = special[name];
  if (status) return { name, connections: 64, status };
  if (/^[1-9][0-9]{0,3}$/.test(name) && Number(name) <= 2048)
    return { name, connections: Number(name), status: '200' };
  const names = Object.keys(special).join(', ');
  throw new InvalidArgumentError(`It takes numbers of connections from 1 to 2048, and ${names}.`);
}

export const loadsOf = (text: string) => [...new Set(text.split(','))].map(loadOf);

/** Whether only `compare` prepares what it needs. */
export const isOfCompare = ({ name }: Load) => name !== 'hot' && name in special;

/** Whether each of its requests comes with a key of its own. */
export const hasKeyEach = ({ name }: Load) => name === 'first-use' || name === '401';

/**
 * What a load asks, for the load generators: request n is the head, its campaign, the middle, a key, the rest, n in ten
 * digits, and the end. So no address comes twice. All is ASCII.
 */
export interface Plan {
  readonly head: string;
  readonly middle: string;
  /** Campaign n takes the n-th, counted from 0, modulo their number. */
  readonly keys: readonly string[];
  /** The file with a key for each request. */
  readonly keyFile?: string | undefined;
  readonly rest: string;
  readonly end: string;
  /** The campaigns are 1 + n × stride modulo this. */
  readonly campaigns: number;
  readonly stride: number;
}

/** The number before that of the first request. */
export const numbersBefore = 1_000_000_000;

// A prime that is no factor of their number: each campaign gets its turn, far from the one before.
export const strideOf = (campaigns: number) => (campaigns % 7_919 === 0 ? 7_907 : 7_919);

export function planFor({ campaigns, keys }: Seed, { name }: Load, keyFile?: string): Plan {
  const end = '"}';
  const body = '{"mirror_endpoint":"https://mirror.example/landing?click={click_id}&n=';
  const length = body.length + String(numbersBefore).length + end.length;
  return {
    // No campaign has a number as long as with these digits before it.
    head: `POST /public/v1/mirror/campaign/${name === '404' ? '10000000' : ''}`,
    middle: '/mirror HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ',
    keys: name === '403' ? [...keys.slice(1), ...keys.slice(0, 1)] : keys,
    keyFile,
    rest: `\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    end,
    campaigns: name === 'hot' ? 1 : campaigns,
    stride: strideOf(campaigns),
  };
}

/** The plan as a Lua file that returns it. JSON's strings are Lua's too, as long as all is ASCII. */
export function asLua({ end, keys, ...plan }: Plan): string {
  const fields = Object.entries({ ...plan, ending: end }).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  return `return { ${fields.join(', ')}, keys = {${keys.map((key) => JSON.stringify(key)).join(',\n')}} }\n`;
}
