import { sum } from 'd3-array';
import type pg from 'pg';
import { lookUpMany } from '../../packages/adapters-persistence/src/hot-path/grouped-look-ups.ts';
import { setMirrorsText } from '../../packages/adapters-persistence/src/hot-path/set-mirrors-text.ts';
import { keyHash } from '../../packages/adapters-persistence/src/schema/key-hash.ts';
import { setMirrorText } from '../../packages/adapters-persistence/src/statements/set-mirror-text.ts';
import type { Database } from '../databases/database.ts';
import type { Seed } from '../databases/seed.ts';
import { setMirror, whoIs } from '../floors/statements.ts';
import type { LimitCase } from './rounds.ts';

export const limitsTable =
  'create table public.limits (id int primary key, n int); insert into public.limits values (1, 0)';

/** Gives back a row for each update. */
type Turn = (client: pg.Client) => Promise<pg.QueryResult>;

/** From what a disk can do to what the service asks of it. */
export function casesByPg(database: Database, { campaigns, keys }: Seed): LimitCase[] {
  let count = 0;
  const next = () => {
    count += 1;
    const campaign = 1 + ((count * 7_919) % campaigns);
    const place = campaign % keys.length;
    const address = `https://mirror.example/landing?click={click_id}&n=${1_000_000_000 + count}`;
    return { campaign, owner: place + 1, key: keys[place] as Seed['keys'][number], address };
  };
  const commit: Turn = (client) =>
    client.query({ name: 'commit', text: 'update public.limits set n = n + 1 where id = 1' });
  const floor: Turn = async (client) => {
    const { campaign, owner, key, address } = next();
    await client.query({ ...whoIs, values: [keyHash(key)] });
    return client.query({ ...setMirror, values: [campaign, owner, address] });
  };
  const one: Turn = (client) => {
    const { campaign, owner, address } = next();
    const values = [campaign, owner, false, address, owner, `limits-${count}`];
    return client.query({ name: 'one', text: setMirrorText, values });
  };
  const many =
    (members: number, withLookUp = false): Turn =>
    async (client) => {
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
  const asked = (
    what: string,
    connections: number,
    updates: number,
    turn: Turn,
    first = 'select',
  ): LimitCase => {
    const repeated = async (client: pg.Client, end: number) => {
      await client.query(first);
      let turns = 0;
      for (; performance.now() < end; turns++) {
        const { rowCount } = await turn(client);
        if (rowCount !== updates) throw new Error(`${what} made ${rowCount} updates`);
      }
      return turns;
    };
    const carryOut = async (seconds: number) => {
      const begun = performance.now();
      const end = begun + seconds * 1_000;
      const clients = Array.from({ length: connections }, () =>
        database.session((client) => repeated(client, end)),
      );
      const turns = sum(await Promise.all(clients));
      return { turns, seconds: (performance.now() - begun) / 1_000 };
    };
    return { what, connections, updates, carryOut };
  };
  return [
    asked('the smallest commit', 1, 1, commit),
    asked('the same, not waiting for the disk', 1, 1, commit, 'set synchronous_commit = off'),
    asked("the floor's two statements", 1, 1, floor),
    asked("the floor's two statements", 10, 1, floor),
    asked('our update, alone', 1, 1, one),
    ...[8, 32, 64, 128].map((size) => asked(`our update, a batch of ${size}`, 1, size, many(size))),
    asked('our look-up and update, 32', 1, 32, many(32, true)),
  ];
}
