import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate, openDatabase, openHotPath, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import {
  type CampaignRepository,
  type MirrorAddress,
  type OwnerId,
  Unavailable,
} from '@campaign-mirror/domain';
import { PgBoss } from 'pg-boss';
import { parseIntoClientConfig } from 'pg-connection-string';
import { consume, type SetMirror } from './consumer.ts';

const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const address = parseIntoClientConfig(url);

test('a job whose outcome is unknown is delivered again; a refused one is not', async () => {
  await migrate(address);
  const database = await openDatabase(address);
  const { campaigns } = openHotPath(database.pool);
  const settings = new PostgresSettings(database.orm, { operator: 'test', requestId: 'test' });
  const owner = 7 as OwnerId;
  const campaign = await settings.createCampaign({ owner, isDefault: false });
  assert(campaign.kind === 'created');
  await settings.createMirror(campaign.id, 'https://first.example/' as MirrorAddress);

  let calls = 0;
  const failing: CampaignRepository = {
    find: (id) => campaigns.find(id),
    setMirror: async (seen, change) => {
      calls += 1;
      const result = await campaigns.setMirror(seen, change);
      // Like a connection that is lost after the commit.
      if (calls === 1) throw new Unavailable('the connection was lost');
      return result;
    },
  };

  const boss = new PgBoss(url);
  boss.on('error', () => {});
  await boss.start();
  const queue = `set-mirror-${campaign.id}`;
  await consume(boss, queue, failing);
  const send = (data: SetMirror) => boss.send(queue, data);
  const good = await send({ owner: '7', campaign: String(campaign.id), url: 'https://second.example/' });
  const foreign = await send({ owner: '8', campaign: String(campaign.id), url: 'https://hijacked.example/' });
  assert(good && foreign);

  const done = async (id: string) => {
    for (;;) {
      const job = await boss.getJobById(queue, id);
      if (job?.state === 'completed') return job;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  assert.equal((await done(good)).retryCount, 1);
  assert.deepEqual((await done(foreign)).output, { kind: 'refused', because: 'not-the-owner' });

  const { rows } = await database.pool.query(
    'select actor, subject, address_after from campaign_mirror.mirror_history where campaign_id = $1 order by id',
    [campaign.id],
  );
  const row = { actor: 'queue', subject: 'set-mirror', address_after: 'https://second.example/' };
  assert.deepEqual(rows, [row, row]);
  await boss.stop();
  await database.close();
});
