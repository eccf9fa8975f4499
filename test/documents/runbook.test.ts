import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { connect, query as queryOn } from '../support/database/client.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { named } from '../support/documents/blocks.ts';
import { call } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { endAll, environment, type Listening, listeningService } from '../support/process/service-process.ts';
import { eventually, rejection } from '../support/promises.ts';
import { signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';
import { projectFolder, read } from '../support/workspace.ts';

const blocks = named(await read('docs/runbook.md'), 'rehearsed: ');
const rehearsed = new Set<string>();

function block(name: string): string {
  rehearsed.add(name);
  return blocks.get(name) ?? `the runbook has no block ${name}`;
}

async function printed(url: string, words: string): Promise<Record<string, unknown>> {
  const { code, output, errors } = await command([...words.split(' '), '--json'], { DATABASE_URL: url });
  expect(code, errors).to.equal(0);
  return JSON.parse(output);
}

describe('the blocks of docs/runbook.md show a problem, end it, and show its end', () => {
  const folder = folderOf('test');
  let service: Listening;
  /** The operator's database. */
  let url: string;
  afterEach(endAll);

  /** Runs a block as somebody pastes it into the shell of the earlier blocks; returns its output and errors. */
  async function paste(name: string, filledIn: Readonly<Record<string, string>> = {}): Promise<string> {
    const [log, variables] = [folder.at('log'), folder.at('variables')];
    await writeFile(log, service.process.output);
    await writeFile(variables, '', { flag: 'a' });
    const lines = [
      `exec 2>&1; log() { cat '${log}'; }; . '${variables}'; set -a`,
      ...Object.entries(filledIn).map(([variable, value]) => `${variable}='${value}'`),
      // Variables are kept for the next block; the function `metrics` is defined for each.
      ...[block('metrics'), block(name)].map((text) => text.replaceAll('http://127.0.0.1:3001', service.ops)),
      `export -p > '${variables}'`,
    ];
    const options = { cwd: projectFolder, env: environment({ DATABASE_URL: url }) };
    return new Promise((resolve) => {
      execFile('sh', ['-c', lines.join('\n')], options, (_, shown) => resolve(shown));
    });
  }

  describe('on a server of the test', () => {
    let server: DedicatedServer;
    before(async () => {
      server = await dedicatedServer({ settings: ['max_prepared_transactions=2'] });
    });
    after(() => server?.remove());

    it('the database is unavailable', async () => {
      const { host, port } = server.address('postgres');
      url = `postgres://postgres@${host}:${port}/postgres`;
      service = await listeningService({ DATABASE_URL: url });
      const { id } = await printed(url, 'campaign create --owner 1');
      await printed(url, `mirror create ${id} --target-url https://first.example/`);
      const { key } = await printed(url, 'key issue --owner 1 --name script');
      const { base } = service;
      const update = { base, campaign: Number(id), key: String(key), address: 'https://b.example/' };
      expect((await call(update)).status).to.equal(200);
      expect(await paste('look')).to.include('"status":"ready"');

      await server.stop();
      expect((await call(update)).status).to.equal(503);
      await eventually('not ready', async () =>
        expect(await fetch(`${service.ops}/readyz`)).to.include({ status: 503 }),
      );
      await service.process.event('unavailable');
      const seen = await paste('database-away');
      expect(seen).to.include('"database":false').and.to.include('"event":"unavailable"');
      expect(seen).to.match(/^problem +database +/m);
      expect(await paste('failures')).to.match(/because="unavailable"\S* 1$/m);

      await server.start();
      const over = await paste('database-back');
      expect(over).to.include('"status":"ready"').and.to.include('"status":200');
      expect((await call(update)).status).to.equal(200);
    });

    it('a password is leaked; afterwards it opens no session, and the thief keeps nothing open', async () => {
      const role = 'campaign_mirror_service';
      const { host, port } = server.address('postgres');
      await queryOn(server.address('postgres'), 'create database mirrors');
      const admin = await connect(server.address('postgres', 'mirrors'));
      await admin.query(`create role ${role} login password 'leaked'`);
      const owner = { DATABASE_URL: `postgres://postgres@${host}:${port}/mirrors` };
      expect((await command(['migrate'], owner)).code).to.equal(0);
      await admin.query(`insert into campaign_mirror.campaigns (id, owner_id) values (1, 1), (2, 1);
        insert into campaign_mirror.mirrors (campaign_id, target_url)
          select id, 'https://first.example/' from campaign_mirror.campaigns`);
      const access = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256', ''];
      await server.put('pg_hba.conf', access.join('\n'));
      await admin.query('select pg_reload_conf()');
      const login = (password: string) => connect({ ...server.address(role, 'mirrors'), password });
      await eventually('required passwords', async () =>
        expect(await rejection(login('wrong'))).to.have.property('code', '28P01'),
      );
      const set = (campaign: number) =>
        `begin; select * from campaign_mirror.set_mirrors('{${campaign}}', '{1}', '{f}', '{https://thief.example/}',
          '{NULL}', '{NULL}', '{jwt}', '{me}', '{r}', '{NULL}', false);`;
      const changed = async () => {
        const sql = block('leaked-password-changes').replace(/'2026-[^']*'/, "now() - interval '1 hour'");
        return (await admin.query(sql)).rows.map(({ campaign_id }) => campaign_id);
      };
      const thief = await login('leaked');
      await thief.query(`alter role ${role} set statement_timeout = '1h';
        alter role ${role} in database mirrors set search_path = mine;
        alter role ${role} password 'stolen'`);
      const [late, prepared] = [await login('stolen'), await login('stolen')];
      await late.query(set(2));
      await prepared.query(`${set(1)} alter role ${role} password 'kept'`);
      await prepared.query("prepare transaction 'it''s kept'");
      expect(await changed()).to.deep.equal([]);
      await late.query('commit');

      const text = block('leaked-password').replace(/\\password (\w+)/, "alter role $1 password 'new';");
      const thiefGoesOn = async () => {
        const again = await login('stolen');
        await again.query('begin; select pg_current_xact_id()');
        await again.query("prepare transaction 'late'").finally(() => again.end());
      };
      // Fails instead of hanging if a lock on the role's row is left.
      await admin.query("set lock_timeout = '1min'");
      for (const statement of text.split(/;\n?|(?<=\\gexec)\n/).filter((one) => one.trim())) {
        const [sql = '', executes] = statement.split('\\gexec');
        const { rows } = await admin.query({ text: sql, rowMode: 'array' });
        if (executes !== undefined) for (const [made] of rows) await admin.query(made);
        if (!statement.includes(' login')) await thiefGoesOn().catch(() => {});
      }
      expect((await admin.query('select gid from pg_prepared_xacts')).rows).to.deep.equal([]);
      expect(await rejection(thief.query('select 1'))).not.to.have.property('message', 'was not rejected');
      for (const password of ['leaked', 'stolen', 'kept'])
        expect(await rejection(login(password))).to.have.property('code', '28P01');
      const service = await login('new');
      const shown = await service.query(`select current_setting('statement_timeout') as timeout,
        current_setting('search_path') as path, current_setting('default_transaction_isolation') as isolation`);
      const isolation = 'read committed';
      expect(shown.rows).to.deep.equal([{ timeout: '0', path: '"$user", public', isolation }]);
      expect(await changed()).to.deep.equal(['2']);
      // The lock of the prepared transaction is gone.
      await service.query(`${set(1)} commit`);
      expect(await changed()).to.deep.equal(['2', '1']);
      await service.end();
      await admin.end();
    });
  });

  describe('on the common server', () => {
    const data = serviceDataOf('test', { campaigns: 2, owner: 42 });
    const set = async (key: string, address: string, campaign = data.campaigns[0]) =>
      (await call(data.one(service, { campaign: Number(campaign), key, address }))).status;
    const query = async (sql: string, values: unknown[] = []) =>
      (await data.database.admin.query(sql, values)).rows;
    const refusal = (reason: string) =>
      service.process.says(() => service.process.log.find(({ because }) => because === reason));

    beforeEach(async () => {
      service = await listeningService(data.settings());
      url = data.database.url('operator');
    });

    it('a key is leaked, and its changes are undone', async () => {
      // The number of this mirror differs from that of its campaign.
      const create = 'insert into campaign_mirror.campaigns (owner_id) values (42), (42) returning id';
      const id = Number((await query(create))[1].id) as CampaignId;
      await printed(url, `mirror create ${id} --target-url https://first.example/`);
      const key = String((await printed(url, 'key issue --owner 42 --name leaked')).key);
      const right = 'https://owners.example/?ref=evil.example';
      const changes = [
        right,
        'https://EVIL.example/1',
        'http://go.EVIL.example:8080/2',
        'https://%65vil.example./3',
      ];
      for (const address of changes) expect(await set(key, address, id)).to.equal(200);

      const revoked = await paste('leaked-key', { BEGINS: key.slice(0, 10) });
      expect(await set(key, 'https://evil.example/again', id)).to.equal(401);
      const [successor = ''] = /cm_[0-9A-Za-z]{49}/.exec(revoked) ?? [];
      for (const valid of [successor, data.key])
        expect(await set(valid, 'https://owners.example/2')).to.equal(200);
      const listed = (await paste('leaked-key-changes')).trim().split('\n');
      expect(listed.map((line) => JSON.parse(line).address_after)).to.deep.equal(changes.toReversed());
      await refusal('revoked-key');
      expect(await paste('leaked-key-over')).to.match(
        /"status":401,"because":"revoked-key".*"subject":"key:\d+"/,
      );
      const storm = await paste('storm');
      expect(storm)
        .to.match(/^ *1 "because":"revoked-key"$/m)
        .and.match(/^ *1 "client":"127\.0\.0\.1"$/m);

      const found = await paste('hijacked-find', { EVIL: 'evil.example' });
      expect(found).to.include(`"campaign_id":${id}`).and.to.include('http://go.EVIL.example:8080/2');
      await paste('hijacked-restore');
      const mirror = 'select target_url from campaign_mirror.mirrors where campaign_id = $1';
      expect(await query(mirror, [id])).to.deep.equal([{ target_url: right }]);
      expect(await paste('hijacked-over'))
        .to.match(/operator/)
        .and.not.to.match(/evil\.example\.?(?::\d+)?\//i);
    });

    it('a key expires soon, until it is replaced', async () => {
      const issue = 'key issue --owner 42 --name summer --expires-in';
      const { id } = await printed(url, `${issue} 13d`);
      await printed(url, `${issue} 15d`);
      const seen = (await paste('keys-expire')).split('\n');
      expect(seen[0]).to.equal('campaign_mirror_keys_expiring 1');
      expect(seen.slice(2)).to.deep.equal([seen[2], '']);
      expect(seen[2]).to.match(new RegExp(`^ *${id} .* summer$`));
      await printed(url, `key rotate ${id} --grace 7d`);
      expect(await paste('keys-expire')).not.to.match(new RegExp(`^ *${id} `, 'm'));
    });

    it('the issuer is unavailable, until a token makes the service fetch its keys', async () => {
      const signing = await signingKey('first');
      const issuer = await new TestIssuer(signing).open();
      await issuer.close();
      service = await listeningService(data.settings(issuer.settings));
      await service.process.event('issuer-keys-failed');
      const key = await token(signing, { owner_id: 42 });
      const seen = await paste('issuer', issuer.settings);
      expect(seen).to.match(
        /^campaign_mirror_issuer_key_fetches_total\{result="failed",identity="jwt"\} [1-9]/m,
      );
      expect(seen).to.match(/^problem +issuer +/m);
      await issuer.open();
      await eventually('the keys', async () =>
        expect(await set(key, 'https://owners.example/')).to.equal(200),
      );
      await service.process.event('issuer-keys-fetched');
      expect(await paste('issuer', issuer.settings)).to.match(/^\{.*"event":"issuer-keys-fetched".*\}$/m);
      await issuer.close();
    });

    it('the other blocks show load, refusals and the state of the service', async () => {
      expect(await set(data.key, 'https://owners.example/')).to.equal(200);
      expect(await set(data.key, 'no-address')).to.equal(422);
      await refusal('not-http');
      const client = /^ *[12] "client":"127\.0\.0\.1"$/m;
      for (const [name, ...patterns] of [
        ['refusals', /^campaign_mirror_http_refusals_total\{.*because="not-http".*\} 1$/m, client],
        ['slow', /_count\{statement="find-keys"\} [1-9]/m, /^campaign_mirror_pool_connections_limit 10$/m],
        ['overload', /^campaign_mirror_http_connections\{listener="callers"\} \d/m],
        ['disk', /^0\n/, /^ok +database +/m],
        ['pool', /^ok +pool +POOL_SIZE is 10/m],
        ['standbys', /^ok +pool +/m],
        ['release', /"version":"[0-9.]+"/, /"status":"ready"/, /\n0\n$/],
        ['read-only', /^ok +writes +/m],
        ['restarts', /"event":"starting"/],
        ['lines', /^\S+ .*[0-9]%/m],
      ] as const)
        await eventually(name, async () => {
          const shown = await paste(name);
          for (const pattern of patterns) expect(shown).to.match(pattern);
        });
      const holder = await data.database.admin.connect();
      await holder.query('begin');
      const rows = await query(block('pool-holders'));
      await holder.query('rollback');
      holder.release();
      expect(rows.map(({ state }) => state)).to.deep.equal(['idle in transaction']);
    });
  });

  describe('in all', () => {
    it('every block was run', () => {
      expect([...rehearsed]).to.have.members([...blocks.keys()]);
    });
  });
});
