import { InvalidArgumentError } from '@commander-js/extra-typings';

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
