import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect } from 'chai';
import { pgdataOf, Sandbox, serverOf } from '../support/embedded/embedded-sandbox.ts';

describe('the life of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;

  before('in a folder with blanks and quotes, by a relative path', async () => {
    folder = await sandbox.folder('my data\'s "folder"');
    const database = await sandbox.open(relative(process.cwd(), folder));
    await database.close();
    await database.close();
    expect(database.events).deep.equal(['starting', 'started', 'stopped']);
    expect(await serverOf(folder)).equal(undefined);
  });
  after(() => sandbox.clean());

  it('runs in a session of its own, without our environment, durable, on 127.0.0.1 only, and in UTC', async () => {
    process.env.SOMETHING_SECRET = 'something-secret';
    const database = await sandbox.open(folder, { settings: {} });
    delete process.env.SOMETHING_SECRET;
    const server = await serverOf(folder);
    const text = (await readFile(`/proc/${server}/stat`, 'utf8')).replace(/\(.*\)/, 'x');
    const [, , , , group, session] = text.split(' ').map(Number);
    expect([group, session]).deep.equal([server, server]);
    expect(await readFile(`/proc/${server}/environ`, 'utf8')).not.contain('something-secret');
    const { uid } = await stat(pgdataOf(folder));
    expect((await stat(`/proc/${server}`)).uid).equal(uid);
    const expected = {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      TimeZone: 'UTC',
    };
    const settings = 'select name, setting from pg_settings where name = any($1)';
    const rows = await database.query(settings, [Object.keys(expected)]);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).deep.equal(expected);
    await database.close();
  });
});
