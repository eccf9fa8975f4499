import { chmod, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { awaitDatabase } from '../../packages/app/src/database/prepare-database.ts';
import { silentLog } from '../../packages/app/src/logging/log-events.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { yourDatabase } from '../../packages/app/src/settings/your-database.ts';
import { command, refused } from '../support/commands/command.ts';
import { otherCa, serverCertificate, serverKey, testCa } from '../support/database/database-certificates.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

describe('TLS to a database of yours', () => {
  const folder = folderOf('suite');
  let server: DedicatedServer;
  let port: string;
  before(async () => {
    await chmod(folder.path, 0o755);
    await writeFile(folder.at('ca.crt'), testCa);
    await writeFile(folder.at('other.crt'), otherCa);
    server = await dedicatedServer();
    port = String(server.address('postgres').port);
    await server.put('server.crt', serverCertificate);
    await server.put('server.key', serverKey);
    await restart('ssl = on\n', 'hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n');
  });
  after(() => server.remove());

  async function restart(settings: string, access: string): Promise<void> {
    await server.put('postgresql.auto.conf', settings);
    await server.put('pg_hba.conf', access);
    await server.stop();
    await server.start();
  }

  const ca = () => `sslrootcert=${folder.at('ca.crt')}`;
  const otherOne = () => `sslrootcert=${folder.at('other.crt')}`;
  const url = (parameters: string, host = '127.0.0.1') =>
    `postgres://postgres@${host}:${port}/postgres?${parameters}`;
  const named = (fault: string, host = '127.0.0.1') => `the database ${host}:${port}/postgres ${fault}`;

  /** What comes of it: the line of the error, or nothing. */
  async function faultWith(DATABASE_URL: string, more: Record<string, string> = {}) {
    const read = readSettings({ DATABASE_URL, ...more });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    // However long it may be waited for: none of this gets better by waiting.
    const settings = { ...read.settings, DATABASE_WAIT: 60_000 };
    const { address } = yourDatabase(settings);
    return awaitDatabase(address, settings, silentLog).catch((error: Error) => error.message);
  }

  const untrusted =
    'has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT';
  const otherHost =
    'has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca';

  it('the service and the commands trust the right CA, and the certificate of the right host', async () => {
    const done = await command(['migrate'], { DATABASE_URL: url(`sslmode=verify-full&${ca()}`) });
    expect(done).to.include({ code: 0, errors: '' });
    const { process } = await listeningService({
      ...{ PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres', PGDATABASE: 'postgres' },
      ...{ PGSSLMODE: 'verify-full', PGSSLROOTCERT: folder.at('ca.crt'), DEMO: 'off' },
      MIKRO_ORM_CLIENT_URL: 'no URL at all',
    });
    expect((await process.stop()).code).to.equal(0);
  });

  it('a CA that is wrong, or that nobody named, is refused in one line, by the commands with exit code 3', async () => {
    for (const parameters of [
      ...['verify-full', 'verify-ca', 'require'].map((mode) => `sslmode=${mode}&${otherOne()}`),
      ...['sslmode=verify-full', 'sslmode=verify-full&sslrootcert=system'],
    ])
      expect(await faultWith(url(parameters)), parameters).to.equal(named(untrusted));
    const settings = { DATABASE_URL: url(`sslmode=verify-full&${otherOne()}`) };
    expect(await command(['campaign', 'list'], settings)).to.deep.equal(refused(`${named(untrusted)}\n`, 3));
  });

  it('the wrong host is refused by verify-full, which a CA alone means too, and not by verify-ca', async () => {
    const elsewhere = (parameters: string) => url(parameters, 'localhost');
    expect(await faultWith(url(ca()))).to.equal(undefined);
    for (const parameters of [ca(), `sslmode=verify-full&${ca()}`])
      expect(await faultWith(elsewhere(parameters))).to.equal(named(otherHost, 'localhost'));
    const settings = { DATABASE_URL: elsewhere(`sslmode=verify-ca&${ca()}`) };
    expect(await faultWith(settings.DATABASE_URL)).to.equal(undefined);
    // The pool's own way too, which copies what it is given.
    expect(await command(['migrate', '--status'], settings)).to.include({ code: 0, errors: '' });
  });

  it('require encrypts, and believes whoever answers; the address counts for more than PGSSLMODE', async () => {
    expect(await faultWith(url('sslmode=require', 'localhost'))).to.equal(undefined);
    expect(await faultWith(url('sslmode=disable'), { PGSSLMODE: 'require' })).to.match(
      /^the database .* lets the user "postgres" in with TLS only, or not at all: set sslmode=verify-full, or check pg_hba.conf$/,
    );
  });

  it('a server without TLS is never spoken to in the clear when TLS is asked for', async () => {
    await restart('', 'host all all 127.0.0.1/32 trust\n');
    for (const parameters of ['sslmode=require', `sslmode=verify-full&${ca()}`])
      expect(await faultWith(url(parameters)), parameters).to.equal(
        named(
          'does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable',
        ),
      );
    expect(await faultWith(url('sslmode=disable'))).to.equal(undefined);
  });
});
