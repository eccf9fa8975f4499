import { chmod, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { awaitDatabase } from '../../packages/app/src/database/database-access.ts';
import { externalDatabase } from '../../packages/app/src/settings/external-database.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command, commandProcess } from '../support/commands/command.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { read } from '../support/workspace.ts';

/**
 * Made once, by `openssl ca`, to last from 2020 to 2120, so that a machine without openssl has them too. The server's is
 * for the host 127.0.0.1, by no other name, and issued by test-ca; other-ca issued nothing.
 */
const certificate = (name: string) => read(`test/settings/certificates/${name}.pem`);

describe('TLS to a database of yours', () => {
  const folder = folderOf('suite');
  let server: DedicatedServer;
  let port: string;
  before(async () => {
    await chmod(folder.path, 0o755);
    await writeFile(folder.at('ca.crt'), await certificate('test-ca'));
    await writeFile(folder.at('other.crt'), await certificate('other-ca'));
    server = await dedicatedServer();
    port = String(server.address('postgres').port);
    await server.put('server.crt', await certificate('server'));
    await server.put('server.key', await certificate('server-key'));
    await restart('ssl = on\n', 'hostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n');
  });
  after(() => server.remove());

  async function restart(settings: string, access: string): Promise<void> {
    await server.put('postgresql.auto.conf', settings);
    await server.put('pg_hba.conf', access);
    await server.stop();
    await server.start();
  }

  const url = (parameters: string, host = '127.0.0.1') => {
    const named = parameters.replace('CA', `sslrootcert=${folder.at('ca.crt')}`);
    const other = named.replace('OTHER', `sslrootcert=${folder.at('other.crt')}`);
    return `postgres://postgres@${host}:${port}/postgres?${other}`;
  };

  /** What comes of it: the line of the error, or nothing. */
  async function faultWith(DATABASE_URL: string) {
    const read = readSettings({ DATABASE_URL });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    // However long it may be waited for: none of this gets better by waiting.
    const settings = { ...read.settings, DATABASE_WAIT: 60_000 };
    return awaitDatabase(externalDatabase(settings), settings, 'first').catch(
      (error: Error) => error.message,
    );
  }

  const untrusted = ': check sslmode, the CA of its certificate (sslrootcert), ';
  const otherHost =
    '(ERR_TLS_CERT_ALTNAME_INVALID): check sslmode, the CA of its certificate (sslrootcert), the name that it is for';
  const tlsOnly =
    'user "postgres", database "postgres", no encryption (28000): check the name of the user, its password and pg_hba.conf; if that requires TLS, set sslmode=verify-full';
  const [here, localhost] = ['127.0.0.1', 'localhost'];
  const cases: [parameters: string, host: string, fault?: string][] = [
    ['sslmode=verify-full&CA', here],
    ['sslmode=verify-full&CA', localhost, otherHost],
    // All that can be checked.
    ['CA', here],
    ['CA', localhost, otherHost],
    ['sslmode=verify-ca&CA', localhost],
    ['sslmode=disable', here, tlsOnly],
    ['', here, tlsOnly],
    ['uselibpqcompat=true&sslmode=require', here],
    // Something of TLS is named.
    ['ssl=true', here, untrusted],
    ['sslmode=verify-full', here, untrusted],
    ['sslmode=verify-full&sslrootcert=system', here, untrusted],
    ['sslmode=verify-ca&OTHER', here, untrusted],
  ];
  for (const [parameters, host, fault] of cases)
    it(`${parameters} at ${host}: ${fault ?? 'is believed'}`, async () => {
      const found = await faultWith(url(parameters, host));
      if (fault) expect(found).to.include(`the database ${host}:${port}/postgres, `).and.to.include(fault);
      else expect(found).to.equal(undefined);
    });

  it('the service and the commands, whose pool copies what it is given, do as it is set', async () => {
    const done = await command(['migrate'], { DATABASE_URL: url('sslmode=verify-ca&CA', localhost) });
    expect(done).to.include({ code: 0, errors: '' });
    const variables = { PGHOST: here, PGPORT: port, PGUSER: 'postgres', PGDATABASE: 'postgres' };
    const wrong = await commandProcess(['campaign', 'list'], { ...variables, PGSSLMODE: 'require' });
    expect(wrong.code).to.equal(3);
    expect(wrong.errors).to.include(untrusted);
    const { process } = await listeningService({
      ...variables,
      DATABASE_URL: `postgres:///?sslrootcert=${folder.at('ca.crt')}`,
      MIKRO_ORM_CLIENT_URL: 'no URL',
    });
    expect((await process.stop()).code).to.equal(0);
  });

  it('a server without TLS is never spoken to in the clear when TLS is asked for', async () => {
    await restart('', 'host all all 127.0.0.1/32 trust\n');
    const fault = ': The server does not support SSL connections: check sslmode, ';
    expect(await faultWith(url('sslmode=require'))).to.include(fault);
    expect(await faultWith(url('sslmode=verify-full&CA'))).to.include(fault);
    expect(await faultWith(url('sslmode=disable'))).to.equal(undefined);
  });
});
