import { readFileSync } from 'node:fs';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { blocksOf } from '../support/documents/blocks.ts';
import { block, Rehearsal, rehearsedBlocks, run } from '../support/documents/rehearsal.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { signingKey, token } from '../support/tokens/signing-key.ts';
import { projectFolder } from '../support/workspace.ts';

const runbook = readFileSync(`${projectFolder}docs/runbook.md`, 'utf8');
const blocks = blocksOf(runbook);

async function printed(url: string, ...words: string[]): Promise<Record<string, unknown>> {
  const { code, output, errors } = await command([...words, '--json'], { DATABASE_URL: url });
  expect(code, errors).to.equal(0);
  return JSON.parse(output);
}

describe('docs/runbook.md', () => {
  afterEach(endAll);

  describe('the database is away', () => {
    let server: DedicatedServer;
    let rehearsal: Rehearsal;
    before(async () => {
      server = await dedicatedServer();
    });
    after(async () => {
      await rehearsal?.end();
      await server?.remove();
    });

    it('is seen, and is over when the blocks say so', async () => {
      const { host, port } = server.address('postgres');
      const url = `postgres://postgres@${host}:${port}/postgres`;
      const service = await listeningService({ DATABASE_URL: url });
      rehearsal = await Rehearsal.of(service, url);
      const { id } = await printed(url, 'campaign', 'create', '--owner', '1');
      await printed(url, 'mirror', 'create', String(id), '--target-url', 'https://first.example/');
      const { key } = await printed(url, 'key', 'issue', '--owner', '1', '--name', 'script');
      const update = {
        base: service.base,
        campaign: Number(id),
        key: String(key),
        address: 'https://b.example/',
      };
      expect((await call(update)).status).to.equal(200);
      expect(await rehearsal.paste('look')).to.include('"status":"ready"');

      await server.stop();
      expect((await call(update)).status).to.equal(503);
      // What it found is good for a second.
      await eventually('not ready', async () =>
        expect(await fetch(`${service.ops}/readyz`)).to.include({ status: 503 }),
      );
      await service.process.event('unavailable');
      const seen = await rehearsal.paste('database-away');
      expect(seen).to.include('"database":false').and.to.include('"event":"unavailable"');
      expect(seen).to.match(/^problem +database +/m);
      expect(await rehearsal.paste('failures')).to.match(/because="unavailable"\S* 1$/m);

      await server.start();
      const over = await rehearsal.paste('database-back');
      expect(over)
        .to.include('"status":"ready"')
        .and.to.match(/^ok +database +/m);
      expect(over).to.include('"status":200');
      expect((await call(update)).status).to.equal(200);
    });
  });

  describe('the issuer of tokens is away', () => {
    const data = serviceDataOf('suite', { owner: 42 });
    let issuer: TestIssuer;
    let rehearsal: Rehearsal;
    after(async () => {
      await rehearsal?.end();
      await issuer?.close();
    });

    it('is seen, and is over when a token makes the service fetch the keys', async () => {
      const signing = await signingKey('first');
      issuer = await new TestIssuer(signing).open();
      await issuer.close();
      const service = await listeningService(data.settings(issuer.settings));
      rehearsal = await Rehearsal.of(service, data.database.url('operator'));
      await service.process.event('issuer-keys-failed');
      const key = await token(signing, { owner_id: 42 });
      const set = async () => (await call(data.one(service, { key }))).status;
      expect(await set()).to.equal(503);
      expect(await rehearsal.paste('issuer', issuer.settings))
        .to.match(/^campaign_mirror_issuer_key_fetches_total\{result="failed"\} [1-9]/m)
        .and.to.include('ECONNREFUSED')
        .and.to.match(/^problem +issuer +/m);

      await issuer.open();
      await eventually('the keys', async () => expect(await set()).to.equal(200));
      await service.process.event('issuer-keys-fetched');
      expect(await rehearsal.paste('issuer-back')).to.match(/^\{.*"event":"issuer-keys-fetched".*\}\n$/);
    });
  });

  describe('with the database there', () => {
    const data = serviceDataOf('test', { campaigns: 2, owner: 42 });
    let service: Listening;
    let rehearsal: Rehearsal;
    const set = async (key: string, address: string, campaign = data.campaigns[0]) =>
      (await call(data.one(service, { campaign: Number(campaign), key, address }))).status;
    const operator = () => data.database.url('operator');
    const mirrors = async () => {
      const { rows } = await data.database.admin.query(
        'select target_url from campaign_mirror.mirrors order by campaign_id',
      );
      return rows.map((row) => row.target_url);
    };

    beforeEach(async () => {
      service = await listeningService(data.settings());
      rehearsal = await Rehearsal.of(service, operator());
    });
    afterEach(() => rehearsal.end());

    /** A key of the same owner that somebody else has got hold of. */
    async function leaked(): Promise<{ key: string; BEGINS: string }> {
      const { key } = await printed(operator(), 'key', 'issue', '--owner', '42', '--name', 'leaked');
      return { key: String(key), BEGINS: String(key).slice(0, 10) };
    }

    /** One whose mirror has another number than itself. */
    async function campaignApart(): Promise<CampaignId> {
      const create = `insert into campaign_mirror.campaigns (owner_id) values (42) returning id`;
      await data.database.admin.query(create);
      const { rows } = await data.database.admin.query(create);
      const mirror = `insert into campaign_mirror.mirrors (campaign_id, target_url) values ($1, 'https://first.example/')`;
      await data.database.admin.query(mirror, [rows[0].id]);
      return Number(rows[0].id) as CampaignId;
    }

    it('a leaked key: its changes are found, it is refused, the owner has another one', async () => {
      const { key, BEGINS } = await leaked();
      expect(await set(data.key, 'https://owners.example/')).to.equal(200);
      expect(await set(key, 'https://evil.example/', data.campaigns[1])).to.equal(200);
      const transfer = 'update campaign_mirror.campaigns set owner_id = 43 where id = $1';
      await data.database.admin.query(transfer, [data.campaigns[1]]);

      const revoked = await rehearsal.paste('leaked-key', { BEGINS });
      expect(await set(key, 'https://evil.example/again')).to.equal(401);
      const [successor = ''] = /cm_[0-9A-Za-z]{49}/.exec(revoked) ?? [];
      expect(await set(successor, 'https://owners.example/2')).to.equal(200);
      expect(await set(data.key, 'https://owners.example/3')).to.equal(200);

      const changes = (await rehearsal.paste('leaked-key-changes')).trim().split('\n');
      expect(changes.map((line) => JSON.parse(line).address_after)).to.deep.equal(['https://evil.example/']);
      await service.process.says(() => service.process.log.find(({ because }) => because === 'unknown-key'));
      expect(await rehearsal.paste('leaked-key-over')).to.match(/"status":401,"because":"unknown-key"/);
      const storm = await rehearsal.paste('storm');
      expect(storm)
        .to.match(/^ *1 "because":"unknown-key"$/m)
        .and.to.match(/^ *1 "client":"127\.0\.0\.1"$/m);
    });

    it('a hijacked mirror: it is found by its host and history, and gets its address back', async () => {
      const id = await campaignApart();
      const { key, BEGINS } = await leaked();
      expect(await set(data.key, 'https://owners.example/?a={click_id}', id)).to.equal(200);
      expect(await set(key, 'https://owners.example/?ref=evil.example', id)).to.equal(200);
      expect(await set(key, 'https://EVIL.example/1', id)).to.equal(200);
      expect(await set(key, 'http://go.EVIL.example:8080/2', id)).to.equal(200);
      expect(await set(key, 'https://%65vil.example./3', id)).to.equal(200);
      const others = (await mirrors()).slice(0, -1);

      await data.database.admin.query(
        `update campaign_mirror.access_keys set revoked_at = now() where displayed = '${BEGINS}'`,
      );
      const found = await rehearsal.paste('hijacked-find', { EVIL: 'evil.example' });
      expect(found).to.include(`"campaign_id":${id}`).and.to.include('https://%65vil.example./3');
      expect(found, 'its history').to.include('http://go.EVIL.example:8080/2');
      await rehearsal.paste('hijacked-restore');
      expect(await mirrors()).to.deep.equal([...others, 'https://owners.example/?ref=evil.example']);
      const over = await rehearsal.paste('hijacked-over');
      expect(over)
        .to.include('No mirror is on evil.example or a name below it.')
        .and.to.match(/operator/);
      expect(await set(key, 'https://evil.example/3', id)).to.equal(401);

      const [, denied = ''] = /`MIRROR_HOST_DENYLIST`, such as\s`([^`]+)`/.exec(runbook) ?? [];
      const { base } = await listeningService(data.settings({ MIRROR_HOST_DENYLIST: denied }));
      for (const address of [
        'https://EVIL.example',
        'https://%65vil.example./',
        'https://a.b.evil。example/',
      ]) {
        expect((await call(data.one({ base }, { address }))).status, address).to.equal(422);
      }
    });

    it('load and refusals are seen, by reason and client', async () => {
      expect(await set(data.key, 'https://owners.example/')).to.equal(200);
      expect(await set(data.key, 'no address')).to.equal(422);
      await service.process.says(() => service.process.log.find(({ because }) => because === 'not-a-url'));
      const refusals = await rehearsal.paste('refusals');
      expect(refusals)
        .to.match(/^campaign_mirror_http_refusals_total\{.*because="not-a-url".*\} 1$/m)
        .and.to.match(/^ *1 "status":422,"because":"not-a-url"$/m)
        .and.to.match(/^ *1 "client":"127\.0\.0\.1"$/m);
      expect(await rehearsal.paste('slow'))
        .to.match(/_count\{statement="look-up-one"\} 2$/m)
        .and.to.match(/^campaign_mirror_pool_connections_limit 10$/m)
        .and.to.match(/^campaign_mirror_event_loop_delay_seconds_bucket/m);
      expect(await rehearsal.paste('overload'))
        .to.match(/^campaign_mirror_http_connections\{listener="callers"\} [1-9]/m)
        .and.to.match(/^ *[12] "client":"127\.0\.0\.1"$/m);
    });

    it('the rest of what is looked at can be looked at', async () => {
      expect(await set(data.key, 'https://owners.example/')).to.equal(200);
      expect(await rehearsal.paste('disk'))
        .to.match(/^0\n/)
        .and.to.match(/^ok +database +/m);
      expect(await rehearsal.paste('pool')).to.match(/^ok +pool +POOL_SIZE is 10/m);
      const release = await rehearsal.paste('release');
      expect(release)
        .to.match(/"version":"[0-9.]+"/)
        .and.to.match(/\n0\n$/);
      expect(release).to.include('"status":"ready"');
      expect(await rehearsal.paste('read-only')).to.match(/^ok +writes +/m);
      expect(await rehearsal.paste('restarts')).to.include('"event":"starting"');
      expect(await rehearsal.paste('lines')).to.match(/^\S+ .*[0-9]%/m);
      const holder = await data.database.admin.connect();
      await holder.query('begin');
      const { rows } = await data.database.admin.query(await block('pool-holders'));
      await holder.query('rollback');
      holder.release();
      expect(rows.map(({ state }) => state)).to.deep.equal(['idle in transaction']);
    });
  });

  describe('its text', () => {
    it('every block is rehearsed, or shown for a reason', async () => {
      expect([...(await rehearsedBlocks()).keys()]).to.have.members([...run]);
      const others = blocks.filter(({ marker = '' }) => !/^(?:rehearsed: [a-z-]+|shown: \S.*)$/.test(marker));
      expect(others).to.deep.equal([]);
    });
  });
});
