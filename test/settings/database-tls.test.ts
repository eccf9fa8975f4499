import { chmod, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { awaitDatabase } from '../../packages/app/src/database/database-access.ts';
import { externalDatabase } from '../../packages/app/src/settings/external-database.ts';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { command } from '../support/commands/command.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { folderOf } from '../support/process/lives.ts';
import { read } from '../support/workspace.ts';

/** Made by `openssl ca`, valid from 2020 to 2120. That of the server is for 127.0.0.1 only, and issued by test-ca. */
const certificate = (name: string) => read(`test/settings/certificates/${name}.pem`);

describe('settings: TLS to the database verifies the server as libpq does', () => {
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
    const file = (name: string) => `sslrootcert=${folder.at(name)}`;
    const named = parameters.replace('CA', file('ca.crt')).replace('OTHER', file('other.crt'));
    return `postgres://postgres@${host}:${port}/postgres?${named}`;
  };

  /** The error of connecting, if there is one. */
  async function faultWith(DATABASE_URL: string) {
    const read = readSettings({ DATABASE_URL });
    if ('wrong' in read) throw new Error(read.wrong.join('\n'));
    // None of these faults is retried.
    const settings = { ...read.settings, DATABASE_WAIT: 60_000 };
    return awaitDatabase(externalDatabase(settings), settings, 'first').catch(
      (error: Error) => error.message,
    );
  }

  const untrusted = ': check sslmode, the CA of its certificate (sslrootcert), ';
  const otherHost = '(ERR_TLS_CERT_ALTNAME_INVALID): check sslmode, ';
  const tlsOnly = 'if that requires TLS, set sslmode=verify-full';
  const [here, localhost] = ['127.0.0.1', 'localhost'];
  const cases: [parameters: string, host: string, fault?: string][] = [
    ['sslmode=verify-full&CA', here],
    ['sslmode=verify-full&CA', localhost, otherHost],
    ['CA', here],
    ['sslmode=verify-ca&CA', localhost],
    ['sslmode=disable', here, tlsOnly],
    ['uselibpqcompat=true&sslmode=require', here],
    ['ssl=true', here, untrusted],
    ['sslmode=verify-full', here, untrusted],
    ['sslmode=verify-ca&OTHER', here, untrusted],
  ];
  for (const [parameters, host, fault] of cases)
    it(`${parameters} at ${host}: ${fault ? 'is refused' : 'connects'}`, async () => {
      const found = await faultWith(url(parameters, host));
      if (fault) expect(found).to.include(`the database ${host}:${port}/postgres, `).and.to.include(fault);
      else expect(found).to.equal(undefined);
    });

  it('commands connect by these settings', async () => {
    const done = await command(['migrate'], { DATABASE_URL: url('sslmode=verify-ca&CA', localhost) });
    expect(done).to.include({ code: 0, errors: '' });
  });

  it('a server without TLS is refused if TLS is required', async () => {
    await restart('', 'host all all 127.0.0.1/32 trust\n');
    const fault = ': The server does not support SSL connections: check sslmode, ';
    expect(await faultWith(url('sslmode=require'))).to.include(fault);
    expect(await faultWith(url('sslmode=disable'))).to.equal(undefined);
  });
});
