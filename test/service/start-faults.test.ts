import { once } from 'node:events';
import { createServer } from 'node:net';
import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { openEmbeddedDatabase } from '../../packages/app/src/embedded/database.ts';
import { dataFolder } from '../support/data-folder.ts';
import {
  emptyDatabase,
  freshDatabase,
  latin1,
  serverAddress,
  type TestDatabase,
} from '../support/database-server.ts';
import { rival, untilWaiting } from '../support/rival.ts';
import { endAll, listeningService, startService } from '../support/service-process.ts';
import { versionProxy } from '../support/version-proxy.ts';

describe('a start that can not succeed ends with one clear line and an exit code', () => {
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  afterEach(endAll);
  after(() => database.drop());

  async function refusal(settings: Record<string, string>): Promise<string> {
    const process = startService({ DATABASE_WAIT: '0s', ...settings });
    const { code } = await process.ended;
    expect(code, process.output).to.equal(1);
    const lines = process.errors.trim().split('\n');
    expect(lines, process.errors).to.have.length(1);
    expect(process.output + process.errors, 'no stack').not.to.match(/^\s+at /m);
    expect(process.errors, 'no password').not.to.include(String(database.address('service').password));
    return lines[0] as string;
  }

  const withDatabase = (url: string, change: (url: URL) => void): string => {
    const changed = new URL(url);
    change(changed);
    return changed.href;
  };

  for (const name of ['PORT', 'OPS_PORT']) {
    it(`${name} in use`, async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const port = String((other.address() as { port: number }).port);
      const line = await refusal({ DATABASE_URL: database.url('owner'), [name]: port });
      other.close();
      expect(line).to.equal(`${name} ${port} on 127.0.0.1 is in use: free it, or set ${name}`);
    });
  }

  it('a host that is not of this machine', async () => {
    const line = await refusal({ DATABASE_URL: database.url('owner'), HOST: '192.0.2.1' });
    expect(line).to.equal('PORT: "192.0.2.1" is no address of this machine');
  });

  it('a database that is away when DATABASE_WAIT is over, which is said while it is awaited', async () => {
    const process = startService({
      DATABASE_WAIT: '1s',
      DATABASE_URL: 'postgres://me:MARKED@127.0.0.1:9/db',
    });
    const { code } = await process.ended;
    expect(code).to.equal(1);
    expect(process.log.map(({ event }) => event)).to.include('database-awaited');
    expect(process.errors.trim()).to.equal(
      'the database 127.0.0.1:9/db can not be reached (ECONNREFUSED): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT',
    );
    expect(process.output).not.to.include('MARKED');
  });

  it('a database that is not in UTF-8', async () => {
    const other = await emptyDatabase('owner', latin1);
    expect(await refusal({ DATABASE_URL: other.url('owner') })).to.match(
      /^the database .* is in LATIN1: make one with encoding UTF8, and move the data there$/,
    );
    await other.drop();
  });

  it('a wrong password', async () => {
    const url = withDatabase(database.url('service'), (wrong) => {
      wrong.password = 'MARKED';
      wrong.username = 'campaign_mirror_nobody';
    });
    const line = await refusal({ DATABASE_URL: url });
    expect(line).to.match(
      /^the database .* refuses the user "campaign_mirror_nobody": check its name, its password/,
    );
    expect(line).not.to.include('MARKED');
  });

  it('no password where the server asks for one', async () => {
    // The embedded server always does; one that was given for the tests may trust us.
    const folder = await dataFolder();
    const embedded = await openEmbeddedDatabase({ folder: folder.path, settings: { fsync: 'off' } });
    const { host, port, user, database: name } = embedded.address('service');
    const settings = { DATABASE_URL: `postgres://${user}@${host}:${port}/${name}`, DATABASE_WAIT: '60s' };
    const line = await refusal(settings);
    await embedded.leave();
    await folder.remove();
    expect(line).to.match(/refuses the user "campaign_mirror_service"/);
  });

  it('no right to connect', async () => {
    const other = await freshDatabase();
    await other.admin.query(`revoke connect on database ${other.name} from public, ${roles.service}`);
    const line = await refusal({ DATABASE_URL: other.url('service'), RUN_MIGRATIONS: 'false' });
    await other.drop();
    expect(line).to.match(
      /^the user "campaign_mirror_service" may not use the database .*: grant it CONNECT$/,
    );
  });

  it('a server that takes no writes', async () => {
    const other = await freshDatabase();
    await other.admin.query(`alter database ${other.name} set default_transaction_read_only = on`);
    const line = await refusal({ DATABASE_URL: other.url('owner') });
    await other.drop();
    expect(line).to.match(
      /^the database .* takes no writes \(a standby, or set to read only\): nothing was done; name the primary in DATABASE_URL or PGHOST$/,
    );
  });

  it('sslmode=require on a server that has no TLS, without a warning of the driver beside it', async () => {
    const url = withDatabase(database.url('service'), (secured) => {
      secured.searchParams.set('sslmode', 'require');
    });
    expect(await refusal({ DATABASE_URL: url, DATABASE_WAIT: '60m' })).to.match(
      /^the database .* does not speak TLS, which sslmode asks for: /,
    );
  });

  it('a migration whose connection is cut', async () => {
    const other = await emptyDatabase('owner');
    await other.admin.query('create schema campaign_mirror authorization campaign_mirror_owner');
    const holder = await rival(other);
    await holder.run('create table campaign_mirror.access_keys (id bigint)');
    const service = startService({ DATABASE_URL: other.url('owner'), DATABASE_WAIT: '0s' });
    await untilWaiting(other, service.ended, 1, [roles.owner]);
    await other.admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect((await service.ended).code).to.equal(1);
    await holder.rollback();
    await other.drop();
    expect(service.errors.trim()).to.match(/^the database .* can not be reached \(57P01\): [^\n]*$/);
  });

  it('a database that does not exist', async () => {
    const url = withDatabase(database.url('service'), (wrong) => {
      wrong.pathname = '/campaign_mirror_nowhere';
    });
    expect(await refusal({ DATABASE_URL: url })).to.match(
      /campaign_mirror_nowhere does not exist: create it/,
    );
  });

  it('the right to migrate is missing', async () => {
    const line = await refusal({ DATABASE_URL: database.url('service') });
    expect(line).to.match(/"campaign_mirror_service" may not migrate .*RUN_MIGRATIONS=false$/);
  });

  it('RUN_MIGRATIONS=false on a database that was never migrated', async () => {
    const empty = await emptyDatabase('owner');
    const line = await refusal({ DATABASE_URL: empty.url('service'), RUN_MIGRATIONS: 'false' });
    await empty.drop();
    expect(line).to.match(/is not at the version that this service needs: run `.\/campaign-mirror migrate`/);
  });

  it('a right of the service is missing', async () => {
    const other = await freshDatabase();
    await other.admin.query(`revoke insert on campaign_mirror.mirror_history from ${roles.service}`);
    const line = await refusal({ DATABASE_URL: other.url('service'), RUN_MIGRATIONS: 'false' });
    await other.drop();
    expect(line).to.match(
      /lacks a right \(insert \(campaign_id\) on campaign_mirror.mirror_history.* and 6 more\)/,
    );
  });

  it('a server older than 15', async () => {
    const proxy = await versionProxy(serverAddress(), '14');
    const url = withDatabase(database.url('owner'), (old) => {
      old.hostname = '127.0.0.1';
      old.port = String(proxy.port);
    });
    const line = await refusal({ DATABASE_URL: url });
    await proxy.close();
    expect(line).to.match(/is PostgreSQL 14: version 15 or newer is needed$/);
  });

  it('RUN_MIGRATIONS=false starts as the service’s role, without the right to migrate', async () => {
    const { process } = await listeningService({
      DATABASE_URL: database.url('service'),
      RUN_MIGRATIONS: 'false',
    });
    expect((await process.stop()).code).to.equal(0);
  });

  it('with one DATABASE_URL of an owner it migrates and serves', async () => {
    const empty = await emptyDatabase('owner');
    const { process, ops } = await listeningService({ DATABASE_URL: empty.url('owner') });
    expect((await fetch(`${ops}/readyz`)).status).to.equal(200);
    expect((await process.stop()).code).to.equal(0);
    await empty.drop();
  });
});
