import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { ClientBase } from 'pg';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { recordChange } from '../support/database/recorded-changes.ts';
import { named } from '../support/documents/blocks.ts';
import { httpServer } from '../support/http/http-server.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { projectFolder, start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const page = readFileSync(`${projectFolder}docs/how-to/follow-changes.md`, 'utf8');
const blocks = named(page, 'tested: by test/documents/follow-changes.test.ts, ');
const block = (name: string) => blocks.get(name) ?? expect.fail(`the page has no block ${name}`);

describe('docs/how-to/follow-changes.md', () => {
  describe('with a command', () => {
    const database = databaseOf('suite');
    const folder = folderOf('suite');
    /** The database ends the session of the command, and so the loop, which systemd would start again. */
    const ended = async ({ ended }: ReturnType<typeof start>) => {
      await database.admin.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'campaign-mirror operator'`);
      await ended;
    };

    it('the loop posts everything first, then each change until the hook has it, and goes on where it ended', async () => {
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
      const ids = () => bodies.flatMap(({ id }) => id ?? []);
      const { rows } = await database.admin.query(`
        with campaign as (insert into campaign_mirror.campaigns (owner_id) values (1) returning id)
        insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://first.example/' from campaign
        returning campaign_id`);
      let running = run();
      await eventually('the mirror', () =>
        expect(bodies.at(-1)).to.include({ target_url: 'https://first.example/' }),
      );
      const campaign = rows[0].campaign_id;
      const changes = [await recordChange(database.admin, { campaign })];
      await eventually('a change', () => expect(ids()).to.include.members(changes));
      await ended(running);
      refusals = 2;
      changes.push(
        await recordChange(database.admin, { campaign }),
        await recordChange(database.admin, { campaign }),
      );
      running = run();
      await eventually('the others', () => expect(ids()).to.include.members(changes));
      await ended(running);
      await hooks.close();
    });
  });

  describe('with replication', () => {
    let publisher: DedicatedServer;
    let subscriber: DedicatedServer;
    before(async () => {
      publisher = await dedicatedServer({ settings: ['wal_level=logical'] });
      subscriber = await dedicatedServer();
    });
    after(async () => {
      await subscriber.remove();
      await publisher.remove();
    });

    it('the subscriber has every change, from before and after, and keeps what is pruned', async () => {
      const admin = await connect(publisher.address('postgres'));
      for (const role of Object.values(roles)) await admin.query(`create role ${role} login`);
      await admin.query(`create database mirrors owner ${roles.owner}`);
      await migrate(publisher.address(roles.owner, 'mirrors'));
      const [source, target] = [
        await connect(publisher.address('postgres', 'mirrors')),
        await connect(subscriber.address('postgres')),
      ];
      const ids = [await recordChange(source, { at: '2026-01-01T00:00:00Z' })];
      await source.query(block('publication'));
      const { host, port } = publisher.address('postgres');
      const text = block('subscription').replace('host=db.example.com', `host=${host} port=${port}`);
      // One by one: a subscription with a slot is not made in a transaction.
      for (const statement of text.split(/;$/m)) if (statement.trim()) await target.query(statement);
      ids.push(await recordChange(source), await recordChange(source));
      const has = (count: number) =>
        eventually(`${count} changes`, async () => {
          const { rows } = await target.query('select id from campaign_mirror.mirror_history order by id');
          expect(rows.map(({ id }) => Number(id))).to.deep.equal(ids.slice(0, count));
        });
      await has(3);
      const row = (client: ClientBase) =>
        client.query(
          `select id, campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after,
             changed_at, request_id from campaign_mirror.mirror_history where id = $1`,
          [ids[2]],
        );
      expect((await row(target)).rows).to.deep.equal((await row(source)).rows);
      const DATABASE_URL = `postgres://${roles.operator}@${host}:${port}/mirrors`;
      const prune = ['history', 'prune', '--older-than', '30d', '--yes', '--json'];
      const { output, errors } = await command(prune, { DATABASE_URL });
      expect(output, errors).to.include('"pruned":1');
      ids.push(await recordChange(source));
      await has(4);
      // A publisher with a slot in use does not stop.
      await target.query('drop subscription mirror_changes');
      for (const client of [admin, source, target]) await client.end();
    });
  });
});
