import { keyHash, setMirrorText } from '@campaign-mirror/adapters-persistence';
import type pg from 'pg';
import { lookUpMany } from '../../packages/adapters-persistence/src/grouped-look-ups.ts';
import { setMirrorsText } from '../../packages/adapters-persistence/src/set-mirrors-text.ts';
import type { Seed } from '../databases/seed.ts';
import { setMirror, whoIs } from '../floors/statements.ts';

/** Something that PostgreSQL is asked again and again, on so many connections at once. */
export interface LimitCase {
  readonly name: string;
  readonly connections: number;
  /** Updates that one turn makes. */
  readonly updates: number;
  /** Before the first turn of a connection. */
  readonly first?: string;
  /** Gives back a row for each update. */
  turn(client: pg.Client): Promise<pg.QueryResult>;
}

export const limitsTable =
  'create table public.limits (id int primary key, n int); insert into public.limits values (1, 0)';

/** From what a disk can do to what the service asks of it. */
export function limitCases({ campaigns, keys }: Seed): LimitCase[] {
  let count = 0;
  const next = () => {
    count += 1;
    const campaign = 1 + ((count * 7_919) % campaigns);
    const place = campaign % keys.length;
    const address = `https://mirror.example/landing?click={click_id}&n=${1_000_000_000 + count}`;
    return { campaign, owner: place + 1, key: keys[place] as Seed['keys'][number], address };
  };
  const commit = (client: pg.Client) =>
    client.query({ name: 'commit', text: 'update public.limits set n = n + 1 where id = 1' });
  const floor = async (client: pg.Client) => {
    const { campaign, owner, key, address } = next();
    await client.query({ ...whoIs, values: [keyHash(key)] });
    return client.query({ ...setMirror, values: [campaign, owner, address] });
  };
  const one = (client: pg.Client) => {
    const { campaign, owner, address } = next();
    const values = [campaign, owner, false, address, owner, `limits-${count}`];
    return client.query({ name: 'one', text: setMirrorText, values });
  };
  const many = (members: number, withLookUp: boolean) => async (client: pg.Client) => {
    const asked = Array.from({ length: members }, next);
    const seen = asked.map(({ campaign }) => campaign);
    const owners = asked.map(({ owner }) => owner);
    if (withLookUp) {
      const values = [asked.map(({ key }) => keyHash(key)), seen];
      await client.query({ name: lookUpMany.name, text: lookUpMany.text, values });
    }
    const addresses = asked.map(({ address }) => address);
    const requests = asked.map((_, at) => `limits-${count}-${at}`);
    // Key n was the n-th to be made, and is owner n's.
    const values = [seen, owners, owners.map(() => false), addresses, owners, requests];
    return client.query({ name: 'many', text: setMirrorsText, values });
  };
  return [
    { name: 'the smallest commit', connections: 1, updates: 1, turn: commit },
    {
      name: 'the same, not waiting for the disk',
      connections: 1,
      updates: 1,
      first: 'set synchronous_commit = off',
      turn: commit,
    },
    { name: "the floor's two statements", connections: 1, updates: 1, turn: floor },
    { name: "the floor's two statements", connections: 10, updates: 1, turn: floor },
    { name: 'our update, alone', connections: 1, updates: 1, turn: one },
    { name: 'our update, a batch of 8', connections: 1, updates: 8, turn: many(8, false) },
    { name: 'our update, a batch of 32', connections: 1, updates: 32, turn: many(32, false) },
    { name: 'our update, a batch of 64', connections: 1, updates: 64, turn: many(64, false) },
    { name: 'our update, a batch of 128', connections: 1, updates: 128, turn: many(128, false) },
    { name: 'our look-up and update, 32', connections: 1, updates: 32, turn: many(32, true) },
  ];
}
