import { json } from 'node:stream/consumers';
import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect, createRoles, query } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { recordChange } from '../support/database/recorded-changes.ts';
import { named } from '../support/documents/blocks.ts';
import { httpServer } from '../support/http/http-server.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { read } from '../support/workspace.ts';

const page = 'docs/how-to/follow-changes.md';
const blocks = named(await read(page), 'tested: by test/documents/follow-changes.test.ts, ');
const block = (name: string) => blocks.get(name) ?? expect.fail(`the page has no block ${name}`);

describe(`the two ways of ${page} deliver every change`, () => {
  const database = databaseOf('suite');
  const folder = folderOf('suite');
  let publisher: DedicatedServer | undefined;
  let subscriber: DedicatedServer | undefined;
  after(async () => {
    await subscriber?.remove();
    await publisher?.remove();
  });

  it('the loop posts every mirror, then each change until it is accepted, and resumes after a restart', async () => {
    const bodies: { id?: number; target_url?: string }[] = [];
    let refusals = 1;
    const hooks = await httpServer(async (request, response) => {
      const body = Object(await json(request));
      if (refusals-- > 0) return response.writeHead(503).end();
      bodies.push(body);
      response.end();
    });
    const script = block('loop')
      .replace('/var/lib/follow-mirrors', folder.path)
      .replaceAll('sleep 1', 'true');
    const environment = { DATABASE_URL: database.url('operator'), HOOK: hooks.url };
    const run = () => start('sh', ['-c', script], environment);
    /** Ends the session of the command, and so the loop, which systemd would restart. */
    const end = async ({ ended }: ReturnType<typeof start>) => {
      await database.admin.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'campaign-mirror operator'`);
      await ended;
    };
    const arrived = (changes: readonly number[]) =>
      eventually('the changes', () =>
        expect(bodies.flatMap(({ id }) => id ?? [])).to.include.members(changes),
      );
    const { rows } = await database.admin.query(`
      with campaign as (insert into campaign_mirror.campaigns (owner_id) values (1) returning id)
      insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://first.example/' from campaign
      returning campaign_id`);
    const change = () => recordChange(database.admin, { campaign: rows[0].campaign_id });

    const first = run();
    await eventually('the mirror', () =>
      expect(bodies.at(-1)).to.include({ target_url: 'https://first.example/' }),
    );
    await arrived([await change()]);
    await end(first);
    refusals = 2;
    const missed = [await change(), await change()];
    const second = run();
    await arrived(missed);
    await end(second);
    await hooks.close();
  });

  it('a subscriber gets every change, before and after, and keeps pruned rows', async () => {
    publisher = await dedicatedServer({ settings: ['wal_level=logical'] });
    subscriber = await dedicatedServer();
    await query(publisher.address('postgres'), createRoles);
    await query(publisher.address('postgres'), `create database mirrors owner ${roles.owner}`);
    await migrate(publisher.address(roles.owner, 'mirrors'));
    const source = await connect(publisher.address('postgres', 'mirrors'));
    const target = await connect(subscriber.address('postgres'));
    const ids = [await recordChange(source, { at: '2026-01-01T00:00:00Z' })];
    await source.query(block('publication'));
    const { host, port } = publisher.address('postgres');
    const text = block('subscription').replace('host=db.example.com', `host=${host} port=${port}`);
    // One by one: a subscription with a slot cannot be created in a transaction.
    for (const statement of text.split(/;$/m)) if (statement.trim()) await target.query(statement);
    ids.push(await recordChange(source), await recordChange(source));
    const rowsOf = async (client: typeof source) =>
      (
        await client.query(`select id::int, campaign_id, mirror_id, actor, access_key_id, subject, owner_id,
          address_before, address_after, changed_at, request_id from campaign_mirror.mirror_history order by id`)
      ).rows;
    const arrived = (count: number) =>
      eventually(`${count} changes`, async () =>
        expect((await rowsOf(target)).map(({ id }) => id)).to.deep.equal(ids.slice(0, count)),
      );
    await arrived(3);
    expect(await rowsOf(target)).to.deep.equal(await rowsOf(source));
    const DATABASE_URL = `postgres://${roles.operator}@${host}:${port}/mirrors`;
    const prune = ['history', 'prune', '--older-than', '30d', '--yes', '--json'];
    const { output, errors } = await command(prune, { DATABASE_URL });
    expect(output, errors).to.include('"pruned":1');
    ids.push(await recordChange(source));
    await arrived(4);
    // A publisher with a used slot does not stop.
    await target.query('drop subscription mirror_changes');
    for (const client of [source, target]) await client.end();
  });
});
