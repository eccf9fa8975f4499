import { readFile, rename, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect } from 'chai';
import {
  clearError,
  type Opened,
  pgdataOf,
  query,
  Sandbox,
  serverOf,
  until,
} from '../support/embedded/embedded-sandbox.ts';

const processOf = async (database: Opened, type: string): Promise<number> =>
  (
    await query(database.address('superuser'), 'select pid from pg_stat_activity where backend_type = $1', [
      type,
    ])
  )[0]?.pid;

describe('the life of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let pgdata: string;

  before(async () => {
    folder = await sandbox.folder('my data\'s "folder"');
    pgdata = pgdataOf(folder);
  });
  after(() => sandbox.clean());

  const works = async (database: Opened) =>
    expect(await query(database.address('service'), 'select 1 as one')).deep.equal([{ one: 1 }]);

  it('is created, started, used and stopped, in a folder with blanks and quotes', async () => {
    const database = await sandbox.open(folder);
    await works(database);
    await database.close();
    await database.close();
    expect(database.events).deep.equal(['starting', 'started', 'stopped']);
    expect(await serverOf(folder)).equal(undefined);
  });

  it('is found by a relative path, and comes back with its data', async () => {
    const first = await sandbox.open(relative(process.cwd(), folder));
    await query(first.address('superuser'), 'create table kept as select 7 as number');
    await first.close();
    const second = await sandbox.open(folder);
    expect(await query(second.address('superuser'), 'select number from kept')).deep.equal([{ number: 7 }]);
    await second.close();
  });

  it('of a service is used by others, and ends with the service', async () => {
    const service = sandbox.member(folder, { service: true });
    const { address } = await service.said;
    const user = await sandbox.open(folder);
    expect(user.address('superuser')).deep.equal(address);
    expect(user.events).deep.equal([]);
    await user.close();
    expect(await serverOf(folder)).not.equal(undefined);
    await service.close();
    expect(await serverOf(folder)).equal(undefined);
  });

  it('has one service: the second is told the process of the first, until that one is gone', async () => {
    const member = sandbox.member(folder, { service: true });
    await member.said;
    expect(await clearError(sandbox.open(folder, { service: true }))).equal(
      `The data folder ${folder} is in use by another service (process ${member.process.pid}): stop that one, or choose another folder with DATA_DIR.`,
    );
    await member.kill();
    const database = await sandbox.open(folder, { service: true });
    await works(database);
    await database.close();
  });

  it('without a service, programs take turns, and so does a service that comes', async () => {
    const first = sandbox.member(folder);
    await first.said;
    const opening = [sandbox.open(folder), sandbox.open(folder, { service: true })];
    const raced = await Promise.race([...opening, first.close().then(() => 'closed')]);
    expect(raced).equal('closed');
    const one = await Promise.race(opening);
    await works(one);
    await one.close();
    for (const database of await Promise.all(opening)) await database.close();
    expect(await serverOf(folder)).equal(undefined);
  });

  it('says after a while that it waits, and the wait can be given up', async () => {
    const first = await sandbox.open(folder);
    const controller = new AbortController();
    const waiting = sandbox.open(folder, {
      service: true,
      signal: controller.signal,
      onEvent: (event, { processId }) => controller.abort(`${event} ${processId}`),
    });
    expect(await waiting.catch((reason) => reason)).equal(`awaited ${process.pid}`);
    await first.close();
  });

  it('ends by itself when its process is killed, and the next one has it with all its data', async () => {
    const member = sandbox.member(folder);
    const { address } = await member.said;
    if (!address) throw new Error('no address');
    await query(address, 'insert into kept values (8)');
    const server = await serverOf(folder);
    await member.kill();
    const database = await sandbox.open(folder);
    expect(await serverOf(folder)).not.equal(server);
    expect(await query(database.address('superuser'), 'select number from kept')).deep.include({ number: 8 });
    await database.close();
  });

  it('that dies says so once, and the next start recovers, as soon as what is left of it has ended', async () => {
    const database = await sandbox.open(folder);
    await query(database.address('superuser'), 'insert into kept values (9)');
    const left = await processOf(database, 'checkpointer');
    process.kill(left, 'SIGSTOP');
    process.kill((await serverOf(folder)) ?? 0, 'SIGKILL');
    expect((await database.lost).message).match(
      /^The embedded database in .* ended by itself \(SIGKILL\): .*\.$/,
    );
    await database.close();
    expect(database.events).deep.equal(['starting', 'started']);
    const opening = sandbox.open(folder);
    const log = `${folder}/cluster/postgresql.log`;
    await until('a refusal', async () => /still in use/.test(await readFile(log, 'utf8')));
    process.kill(left, 'SIGCONT');
    const again = await opening;
    expect(await query(again.address('superuser'), 'select number from kept')).deep.include({ number: 9 });
    await again.close();
  });

  it('whose data went away under it ends with one line at the next start', async () => {
    await rename(pgdata, `${pgdata}.away`);
    expect(await clearError(sandbox.open(folder))).contain('is not a whole database of Campaign Mirror');
    await rename(`${pgdata}.away`, pgdata);
  });

  it('runs in a session of its own, without our environment', async () => {
    process.env.SOMETHING_SECRET = 'something-secret';
    const database = await sandbox.open(folder);
    delete process.env.SOMETHING_SECRET;
    const server = await serverOf(folder);
    if (process.platform === 'linux') {
      const text = (await readFile(`/proc/${server}/stat`, 'utf8')).replace(/\(.*\)/, 'x');
      const [, , , , group, session] = text.split(' ').map(Number);
      expect([group, session]).deep.equal([server, server]);
      expect(await readFile(`/proc/${server}/environ`, 'utf8')).not.contain('something-secret');
      expect((await stat(`/proc/${server}`)).uid).equal((await stat(pgdata)).uid);
    }
    await database.close();
  });

  it('is durable unless told otherwise, listens on 127.0.0.1 only, and keeps UTC', async () => {
    const database = await sandbox.open(folder, { settings: {} });
    const expected = {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      TimeZone: 'UTC',
    };
    const text = 'select name, setting from pg_settings where name = any($1)';
    const rows = await query(database.address('superuser'), text, [Object.keys(expected)]);
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).deep.equal(expected);
    await database.close();
  });
});
