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
import { databaseOf } from '../support/process/lives.ts';
import { projectFolder, start } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

const page = readFileSync(`${projectFolder}docs/how-to/follow-changes.md`, 'utf8');
const blocks = named(page, 'tested: by test/documents/follow-changes.test.ts, ');
const block = (name: string) => blocks.get(name) ?? expect.fail(`the page has no block ${name}`);

describe('docs/how-to/follow-changes.md', () => {
  describe('with a command', () => {
    const database = databaseOf('suite');
    const run = async (script: string) => {
      const running = start('sh', ['-c', script], { DATABASE_URL: database.url('operator') });
      await running.says(() => /Following/.exec(running.errors) ?? undefined);
    };

    it('curl posts each change of the owner', async () => {
      const bodies: unknown[] = [];
      const hooks = await httpServer(async (request, response) => {
        bodies.push(await json(request));
        response.end();
      });
      await run(block('curl').replace('https://hooks.example.com', hooks.url));
      await recordChange(database.admin, { owner: 41 });
      const ids = [
        await recordChange(database.admin, { owner: 42 }),
        await recordChange(database.admin, { owner: 42 }),
      ];
      await eventually('two bodies', () => expect(bodies.map((one) => Object(one).id)).to.deep.equal(ids));
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
