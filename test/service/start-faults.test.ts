import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { openOwnDatabase } from '../../packages/app/src/database/embedded-database.ts';
import {
  emptyDatabase,
  freshDatabase,
  latin1,
  serverAddress,
  type TestDatabase,
} from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { versionProxy } from '../support/database/version-proxy.ts';
import { dataFolder } from '../support/process/data-folder.ts';
import { databaseOf } from '../support/process/lives.ts';
import { endAll, listeningService, startService } from '../support/process/service-process.ts';

interface Given {
  readonly make?: () => Promise<TestDatabase>;
  readonly role?: Role;
  /** Parts of its address that are others. */
  readonly url?: Partial<URL>;
  readonly change?: (database: string) => string;
  readonly [setting: `${Uppercase<string>}`]: string;
}

describe('a start that cannot succeed ends with one clear line and an exit code', () => {
  const database = databaseOf('suite');
  afterEach(endAll);

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

  it('a database that is away when DATABASE_WAIT is over, which is said while it is awaited', async () => {
    const process = startService({
      DATABASE_WAIT: '1s',
      DATABASE_URL: 'postgres://me:MARKED@127.0.0.1:9/db',
    });
    const { code } = await process.ended;
    expect(code).to.equal(1);
    expect(process.log.map(({ event }) => event)).to.include('database-awaited');
    expect(process.errors.trim()).to.equal(
      'the database 127.0.0.1:9/db cannot be reached (ECONNREFUSED): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT',
    );
    expect(process.output).not.to.include('MARKED');
  });

  const empty = () => emptyDatabase('owner');
  /** In a database of its own, changed by a statement; of the service, who does not migrate, or of the owner. */
  const refusals: [what: string, line: RegExp, given: Given][] = [
    [
      'a host that is not of this machine',
      /^PORT: "192\.0\.2\.1" is no address of this machine$/,
      { HOST: '192.0.2.1' },
    ],
    [
      'a database that is not in UTF-8',
      /^the database .*: the database is in LATIN1: make one with encoding UTF8$/,
      { make: () => emptyDatabase('owner', latin1) },
    ],
    [
      'a wrong password',
      /^the database .* refuses the user "campaign_mirror_nobody": check its name, its password/,
      { url: { username: 'campaign_mirror_nobody', password: 'MARKED' } },
    ],
    [
      'no right to connect',
      /^the user "campaign_mirror_service" may not use the database .*: grant it CONNECT$/,
      {
        role: 'service',
        change: (name) => `revoke connect on database ${name} from public, ${roles.service}`,
      },
    ],
    [
      'a server that takes no writes',
      /^the database .* takes no writes \(a standby, or set to read only\): nothing was done; name the primary in DATABASE_URL or PGHOST$/,
      { change: (name) => `alter database ${name} set default_transaction_read_only = on` },
    ],
    [
      'sslmode=require on a server that has no TLS, without a warning of the driver beside it',
      /^the database .* does not speak TLS, which sslmode asks for: /,
      { url: { search: '?sslmode=require' }, DATABASE_WAIT: '60m' },
    ],
    [
      'a database that does not exist',
      /campaign_mirror_nowhere does not exist: create it/,
      { url: { pathname: '/campaign_mirror_nowhere' } },
    ],
    [
      'the right to migrate is missing',
      /"campaign_mirror_service" may not migrate .*RUN_MIGRATIONS=false$/,
      { role: 'service', RUN_MIGRATIONS: 'true' },
    ],
    [
      'RUN_MIGRATIONS=false on a database that was never migrated',
      /: pending: 0001-schema, 0002-recent-moves: run `.\/campaign-mirror migrate` as the owner of the schema$/,
      { role: 'service', make: empty },
    ],
    [
      'a right of the service is missing',
      /lacks what the service needs: insert on mirror_history: run /,
      {
        role: 'service',
        change: () => `revoke insert on campaign_mirror.mirror_history from ${roles.service}`,
      },
    ],
    [
      'a column that the service needs is not there yet',
      /lacks what the service needs: select on access_keys, update on access_keys: run /,
      {
        role: 'service',
        change: () => 'alter table campaign_mirror.access_keys drop column last_used_at cascade',
      },
    ],
  ];
  for (const [what, line, { make = freshDatabase, role = 'owner', url, change, ...settings }] of refusals) {
    it(what, async () => {
      const other = await make();
      if (change) await other.admin.query(change(other.name));
      const DATABASE_URL = Object.assign(new URL(other.url(role)), url).href;
      const given = { RUN_MIGRATIONS: String(role === 'owner'), ...settings, DATABASE_URL };
      expect(await refusal(given))
        .to.match(line)
        .and.not.to.include('MARKED');
    });
  }

  it('no password where the server asks for one', async () => {
    // The embedded server always does; one that was given for the tests may trust us.
    const folder = await dataFolder();
    const embedded = await openOwnDatabase({ folder: folder.path, settings: { fsync: 'off' } });
    const { host, port, user, database: name } = embedded.address('service');
    const settings = { DATABASE_URL: `postgres://${user}@${host}:${port}/${name}`, DATABASE_WAIT: '60s' };
    const line = await refusal(settings);
    await embedded.close();
    await folder.remove();
    expect(line).to.match(/refuses the user "campaign_mirror_service"/);
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
    expect(service.errors.trim()).to.match(/^the database .* cannot be reached \(57P01\): [^\n]*$/);
  });

  it('a server older than 15', async () => {
    const proxy = await versionProxy(serverAddress(), '14');
    const through = { hostname: '127.0.0.1', port: String(proxy.port) };
    const line = await refusal({
      DATABASE_URL: Object.assign(new URL(database.url('owner')), through).href,
    });
    await proxy.close();
    expect(line).to.match(/the server is PostgreSQL 14: use 15 or newer$/);
  });

  it('with one DATABASE_URL of an owner it migrates and serves', async () => {
    const empty = await emptyDatabase('owner');
    const { process, ops } = await listeningService({ DATABASE_URL: empty.url('owner') });
    expect((await fetch(`${ops}/readyz`)).status).to.equal(200);
    expect((await process.stop()).code).to.equal(0);
  });
});
