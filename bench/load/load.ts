import { InvalidArgumentError } from '@commander-js/extra-typings';

/** A load: so many connections, each with one request at a time, and what they ask. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  /** Each campaign in turn by its owner; all of them one campaign; or a mixture in which four of ten are refused. */
  readonly asks: 'each' | 'one' | 'mixture';
}

/** The name is a number of connections, `hot` or `mixed`. @throws InvalidArgumentError that says what is accepted */
export function loadOf(name: string): Load {
  if (name === 'hot') return { name, connections: 64, asks: 'one' };
  if (name === 'mixed') return { name, connections: 64, asks: 'mixture' };
  const connections = /^[1-9][0-9]{0,3}$/.test(name) ? Number(name) : Number.NaN;
  if (connections <= 1024) return { name, connections, asks: 'each' };
  throw new InvalidArgumentError('It takes numbers of connections from 1 to 1024, hot and mixed.');
}
