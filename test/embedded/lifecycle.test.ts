import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect } from 'chai';
import { livingPostmaster } from '../../packages/embedded-postgres/src/cluster/postmaster.ts';
import { pgdataOf, query, registrations, Sandbox, settings } from '../support/embedded/embedded-sandbox.ts';

describe('the life of the embedded database', () => {
  const sandbox = new Sandbox();
  let folder: string;
  let pgdata: string;

  before(async () => {
    folder = await sandbox.folder('my data\'s "folder"');
    pgdata = pgdataOf(folder);
  });
  after(() => sandbox.clean());

  it('is created, started, used and stopped by its only member, in a folder with blanks and quotes', async () => {
    const database = await sandbox.open(folder);
    expect(await query(database.address('service'), 'select 1 as one')).deep.equal([{ one: 1 }]);
    await database.leave();
    await database.leave();
    expect(database.record.names()).deep.equal(['created', 'starting', 'started', 'stopping', 'stopped']);
    expect(await livingPostmaster(pgdata)).equal(undefined);
  });

  it('is found by a relative path, and comes back on its port with its data', async () => {
    const first = await sandbox.open(relative(process.cwd(), folder));
    const { port } = first.address('owner');
    await query(first.address('superuser'), 'create table kept as select 7 as number');
    await first.leave();
    const second = await sandbox.open(folder);
    expect(second.address('owner').port).equal(port);
    expect(await query(second.address('superuser'), 'select number from kept')).deep.equal([{ number: 7 }]);
    await second.leave();
    expect(second.record.names()).deep.equal(['starting', 'started', 'stopping', 'stopped']);
  });

  it('runs on until the last member leaves', async () => {
    const member = await sandbox.openedMember(folder);
    const database = await sandbox.open(folder);
    expect(database.record.names()).deep.equal(['adopted']);
    expect(await registrations(database)).have.members([`${process.pid}:1`, `${member.process.pid}:1`]);
    await database.leave();
    expect(database.record.names().at(-1)).equal('left-running');
    expect((await livingPostmaster(pgdata))?.status).equal('ready');
    await member.order('leave');
    expect(member.record.names().at(-1)).equal('stopped');
    expect(await livingPostmaster(pgdata)).equal(undefined);
  });

  it('lives on when its only member is killed, and is adopted by the next', async () => {
    const member = await sandbox.openedMember(folder);
    const living = await livingPostmaster(pgdata);
    await member.kill();
    const database = await sandbox.open(folder);
    const { processId, port } = living ?? {};
    expect(database.record.all[0]).deep.equal({ event: 'adopted', detail: { processId, port } });
    await database.leave();
    expect(await livingPostmaster(pgdata)).equal(undefined);
  });

  it('is stopped by the last to leave when a member was killed just before', async () => {
    const again = await sandbox.openedMember(folder);
    const last = await sandbox.open(folder);
    await again.kill();
    await last.leave();
    expect(last.record.names().at(-1)).equal('stopped');
  });

  it('is stopped once when all leave at the same time', async () => {
    const members = await Promise.all([1, 2, 3].map(() => sandbox.open(folder)));
    await Promise.all(members.map((member) => member.leave()));
    expect(await livingPostmaster(pgdata)).equal(undefined);
    expect(members.flatMap(({ record }) => record.names()).filter((name) => name === 'stopping')).length(1);
  });

  it('is opened while it stops: it is started again', async () => {
    for (let round = 0; round < 3; round++) {
      const first = await sandbox.open(folder);
      const leaving = first.leave();
      await first.record.next('stopping');
      const second = await sandbox.open(folder);
      await leaving;
      expect(await query(second.address('service'), 'select 1 as one')).deep.equal([{ one: 1 }]);
      await second.leave();
    }
  });

  it('has one service: the second is told the process of the first, until that one is gone', async () => {
    const member = await sandbox.openedMember(folder);
    await member.order('service');
    const database = await sandbox.open(folder);
    const refusal = await database.becomeService().catch((error: Error) => error.message);
    expect(refusal).equal(
      `The data folder ${folder} is in use by another service (process ${member.process.pid}): stop that one, or choose another folder with DATA_DIR.`,
    );
    expect(await query(database.address('service'), 'select 1 as one')).deep.equal([{ one: 1 }]);
    await member.kill();
    await database.becomeService();
    await database.becomeService();
    expect(await registrations(database)).deep.equal([`${process.pid}:1`, `${process.pid}:2`]);
    await database.leave();
  });

  it('runs in a session of its own, without our environment', async () => {
    process.env.SOMETHING_SECRET = 'something-secret';
    const database = await sandbox.open(folder, { settings });
    delete process.env.SOMETHING_SECRET;
    const living = await livingPostmaster(pgdata);
    const file = `/proc/${living?.processId}`;
    if (process.platform === 'linux') {
      const [, , , , group, session] = (await readFile(`${file}/stat`, 'utf8'))
        .replace(/\(.*\)/, 'x')
        .split(' ');
      expect([group, session]).deep.equal([String(living?.processId), String(living?.processId)]);
      expect(await readFile(`${file}/environ`, 'utf8')).not.contain('something-secret');
      expect((await stat(file)).uid).equal((await stat(pgdata)).uid);
    }
    await database.leave();
  });

  it('is durable unless told otherwise, listens on 127.0.0.1 only, and keeps UTC', async () => {
    const database = await sandbox.open(folder, { settings: {} });
    const shown = async (name: string) =>
      Object.values((await query(database.address('superuser'), `show ${name}`))[0])[0];
    expect(await shown('fsync')).equal('on');
    expect(await shown('synchronous_commit')).equal('on');
    expect(await shown('full_page_writes')).equal('on');
    expect(await shown('listen_addresses')).equal('127.0.0.1');
    expect(await shown('unix_socket_directories')).equal('');
    expect(await shown('timezone')).equal('UTC');
    await database.leave();
  });
});
