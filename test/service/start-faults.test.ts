import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import {
  emptyDatabase,
  freshDatabase,
  latin1,
  type TestDatabase,
} from '../support/database/database-server.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { databaseOf } from '../support/process/lives.ts';
import {
  eventsOf,
  listeningService,
  projectFolder,
  start,
  startService,
} from '../support/process/service-process.ts';

/** Starts the service in one process with one environment after the other, none of which it can serve with. */
const oneAfterTheOther = `
  import { runService } from '@campaign-mirror/app';
  const onListening = () => process.exit(2);
  for (const settings of JSON.parse(process.argv[1]))
    console.error('ended with', await runService({ ...process.env, ...settings }, { onListening }));`;

interface Given {
  readonly make?: () => Promise<TestDatabase>;
  readonly role?: Role;
  /** Parts of its address that are others. */
  readonly url?: Partial<URL>;
  readonly change?: string;
  readonly [setting: `${Uppercase<string>}`]: string;
}

describe('a start that cannot succeed ends with one clear line and an exit code', () => {
  const database = databaseOf('suite');

  async function refusal(settings: Record<string, string>): Promise<string> {
    const { code, output, errors } = await startService({ DATABASE_WAIT: '0s', ...settings }).done();
    expect(code, output).to.equal(1);
    expectNoSecret(output + errors);
    const [line = '', ...more] = errors.trim().split('\n');
    expect(more, errors).to.deep.equal([]);
    return line;
  }
  const expectNoSecret = (said: string) =>
    expect(said)
      .to.not.match(/^\s+at /m)
      .and.not.include('MARKED')
      .and.not.include(String(database.address('service').password));

  const empty = () => emptyDatabase('owner');
  const asService = (change = 'select', RUN_MIGRATIONS = 'false'): Given => ({
    role: 'service',
    change,
    RUN_MIGRATIONS,
  });
  const noSetting = `revoke execute on function campaign_mirror.set_mirrors from ${roles.service}`;
  const stranger = { username: 'campaign_mirror_nobody', password: 'MARKED' };
  const noTls = { url: { search: '?sslmode=require' }, DATABASE_WAIT: '60m' };
  const asRedirector = { role: 'redirector', RUN_MIGRATIONS: 'false' } as const;
  const barred = `revoke connect on database NAME from public, ${roles.service}`;
  /** In a database of its own, changed by a statement; of the service, who does not migrate, or of the owner. */
  const refusals: [what: string, line: RegExp, given: Given][] = [
    ['a host of others', /^HOST: "192\.0\.2\.1" is not an address of this machine: /, { HOST: '192.0.2.1' }],
    ['another for operators', /^OPS_HOST: "192\.0\.2\.1" is not an address of/, { OPS_HOST: '192.0.2.1' }],
    [
      'not in UTF-8',
      /LATIN1: make one: create database NAME template template0 encoding 'UTF8' locale 'C'$/,
      { make: () => emptyDatabase('owner', latin1) },
    ],
    ['a wrong password', / "\w+_nobody" \(28P01\): check the name of the user, its pass/, { url: stranger }],
    ['no right to connect', /, user "\w+_service": .* \(42501\): run ops\/roles.sql in /, asService(barred)],
    ['no TLS, and no warning of the driver', /: The server does not support SSL .*: check sslmode/, noTls],
    [
      'no such database',
      /_nowhere" .* \(3D000\): correct DATABASE_URL/,
      { url: { pathname: '/mirror_nowhere' } },
    ],
    ['no right to migrate', / \(42501\): run .*RUN_MIGRATIONS=false$/, asService('select', 'true')],
    [
      'never migrated',
      /; pending migrations: 0001-first-release: run `.\/campaign-mirror /,
      { ...asService(), make: empty },
    ],
    [
      'a redirector',
      /"campaign_mirror_redirector" is a redirector's: use campaign_mirror_service$/,
      asRedirector,
    ],
    ['a right is missing', /lacks what .* needs: execute on set_mirrors: run /, asService(noSetting)],
  ];
  it('of its settings, the database or the rights in it', async () => {
    const starts: Record<string, string>[] = [];
    for (const [, , { make = freshDatabase, role = 'owner', url, change, ...settings }] of refusals) {
      const other = await make();
      if (change) await other.admin.query(change.replace('NAME', other.name));
      const DATABASE_URL = Object.assign(new URL(other.url(role)), url).href;
      starts.push({ DATABASE_WAIT: '0s', ...settings, DATABASE_URL });
    }
    const words = ['--input-type=module', '--eval', oneAfterTheOther, JSON.stringify(starts)];
    const { output, errors } = await start(
      process.execPath,
      words,
      {},
      `${projectFolder}packages/app`,
    ).done();
    expectNoSecret(output + errors);
    const told = errors.split(/^ended with 1\n/m);
    expect(told, errors).to.have.length(refusals.length + 1);
    for (const [at, [what, line]] of refusals.entries())
      expect(told[at]?.split('\n'), what).to.have.length(2).and.have.property('0').that.matches(line);
  });

  it('a database that is away when DATABASE_WAIT is over, which is said while it is awaited', async () => {
    const away = { DATABASE_WAIT: '1s', DATABASE_URL: 'postgres://me:MARKED@127.0.0.1:9/db' };
    const process = startService(away);
    const { msg } = await process.event('database-awaited');
    expect(msg).to.equal('waiting for the database 127.0.0.1:9/db');
    const errors =
      'the database 127.0.0.1:9/db cannot be reached (ECONNREFUSED): start it, correct DATABASE_URL or PGHOST, or raise DATABASE_WAIT\n';
    expect(await process.done()).to.include({ code: 1, errors });
  });

  it('a server older than 15', async () => {
    // The server reckons its own version from another number.
    const reckon = (bytes: Buffer) => {
      const at = bytes.indexOf("'server_version_num')::int / 10000");
      if (at !== -1) bytes.write("'block_size')::int * 14 / 8192    ", at);
      return bytes;
    };
    const proxy = await tcpProxy(database.address('service'), undefined, reckon);
    const through = { hostname: '127.0.0.1', port: String(proxy.port) };
    const { href } = Object.assign(new URL(database.url('owner')), through);
    const line = await refusal({ DATABASE_URL: href }).finally(() => proxy.close());
    expect(line).to.match(/the server is PostgreSQL 14: use 15 or newer; /);
  });

  it('with one DATABASE_URL of an owner it migrates and serves, and warns of a pool that is too large', async () => {
    const other = await empty();
    await other.admin.query(`alter database ${other.name} connection limit 7`);
    const { process, ops } = await listeningService({ DATABASE_URL: other.url('owner') });
    expect((await fetch(`${ops}/readyz`)).status).to.equal(200);
    expect((await process.stop()).code).to.equal(0);
    const warning = eventsOf(process, 'check-warned').find(({ check }) => check === 'pool');
    expect(warning?.msg).to.match(/^POOL_SIZE is 10: processes, 1, use up to 12 connections, of 7 that/);
  });
});
