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
import { endAll, listeningService } from '../support/process/service-process.ts';

/** Nobody without TLS. */
const tlsOnly = 'hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n';

describe('TLS to a database of yours', () => {
  const folder = folderOf('suite');
  let server: DedicatedServer;
  let port: number;
  const ca = () => folder.at('ca.crt');
  const wrongCa = () => folder.at('other.crt');

  before(async () => {
    await chmod(folder.path, 0o755);
    await writeFile(ca(), testCa);
    await writeFile(wrongCa(), otherCa);
    server = await dedicatedServer();
    port = server.address('postgres').port as number;
    await server.put('server.crt', serverCertificate);
    await server.put('server.key', serverKey);
    await server.put('postgresql.auto.conf', 'ssl = on\n');
    await server.put('pg_hba.conf', tlsOnly);
    await server.stop();
    await server.start();
  });
  afterEach(endAll);
  after(async () => {
    await server?.remove();
  });

  const url = (parameters: string, host = '127.0.0.1') =>
    `postgres://postgres@${host}:${port}/postgres?${parameters}`;

  /** What comes of it, as the service and the commands find out: the line of the error, or nothing. */
  async function fault(environment: Record<string, string>): Promise<string | undefined> {
    const read = readSettings(environment);
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    try {
      // However long it may be waited for: none of this gets better by waiting.
      const settings = { ...read.settings, DATABASE_WAIT: 60_000 };
      await awaitDatabase(yourDatabase(settings).address, settings, silentLog);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  const named = (host = '127.0.0.1') => `the database ${host}:${port}/postgres`;
  const untrusted =
    'has a certificate of a CA that is not trusted: name the file of the CA by sslrootcert or PGSSLROOTCERT';

  it('the service and the commands trust the right CA, and the certificate of the right host', async () => {
    const DATABASE_URL = url(`sslmode=verify-full&sslrootcert=${ca()}`);
    const done = await command(['migrate'], { DATABASE_URL });
    expect(done.errors).to.equal('');
    expect(done.code).to.equal(0);
    const { process } = await listeningService({
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'postgres',
      PGDATABASE: 'postgres',
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: ca(),
      DEMO: 'off',
      MIKRO_ORM_CLIENT_URL: 'no URL at all',
    });
    expect((await process.stop()).code).to.equal(0);
  });

  it('a CA alone means all that can be checked', async () => {
    expect(await fault({ DATABASE_URL: url(`sslrootcert=${ca()}`) })).to.equal(undefined);
    expect(await fault({ DATABASE_URL: url(`sslrootcert=${ca()}`, 'localhost') })).to.match(/another host/);
  });

  it('the wrong CA is refused, in one line, by the commands with exit code 3', async () => {
    const line = `${named()} ${untrusted}`;
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      const DATABASE_URL = url(`sslmode=${mode}&sslrootcert=${wrongCa()}`);
      expect(await fault({ DATABASE_URL }), mode).to.equal(line);
    }
    const DATABASE_URL = url(`sslmode=verify-full&sslrootcert=${wrongCa()}`);
    expect(await command(['campaign', 'list'], { DATABASE_URL })).to.deep.equal(refused(`${line}\n`, 3));
  });

  it('a CA that nobody named is not trusted', async () => {
    expect(await fault({ DATABASE_URL: url('sslmode=verify-full') })).to.equal(`${named()} ${untrusted}`);
    expect(await fault({ DATABASE_URL: url('sslmode=verify-full&sslrootcert=system') })).to.equal(
      `${named()} ${untrusted}`,
    );
  });

  it('the wrong host is refused by verify-full alone', async () => {
    const at = (mode: string) => ({
      DATABASE_URL: url(`sslmode=${mode}&sslrootcert=${ca()}`, 'localhost'),
    });
    expect(await fault(at('verify-full'))).to.equal(
      `${named('localhost')} has a certificate for another host: connect by the name that it is for, or check the CA alone with sslmode=verify-ca`,
    );
    expect(await fault(at('verify-ca'))).to.equal(undefined);
    // The pool's own way too, which copies what it is given.
    const done = await command(['migrate', '--status'], at('verify-ca'));
    expect(done).to.include({ code: 0, errors: '' });
  });

  it('require encrypts, and believes whoever answers', async () => {
    expect(await fault({ DATABASE_URL: url('sslmode=require', 'localhost') })).to.equal(undefined);
    expect(await fault({ DATABASE_URL: url('sslmode=disable'), PGSSLMODE: 'require' })).to.match(
      /^the database .* lets the user "postgres" in with TLS only, or not at all: set sslmode=verify-full, or check pg_hba.conf$/,
    );
  });

  it('a server without TLS is never spoken to in the clear when TLS is asked for', async () => {
    await server.put('postgresql.auto.conf', '');
    await server.put('pg_hba.conf', 'host all all 127.0.0.1/32 trust\n');
    await server.stop();
    await server.start();
    for (const how of ['sslmode=require', `sslmode=verify-full&sslrootcert=${ca()}`]) {
      expect(await fault({ DATABASE_URL: url(how) }), how).to.equal(
        `${named()} does not speak TLS, which sslmode asks for: switch it on there (ssl = on), or set sslmode=disable`,
      );
    }
    expect(await fault({ DATABASE_URL: url('sslmode=disable') })).to.equal(undefined);
  });
});
