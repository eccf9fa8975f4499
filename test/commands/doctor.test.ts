import { stat } from 'node:fs/promises';
import { migrations, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { ofDisk } from '../../packages/app/src/administration/examination.ts';
import { type Asked, checks } from '../../packages/app/src/database/checks.ts';
import { command, type Done } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase, latin1 } from '../support/database/database-server.ts';
import { freePort } from '../support/free-port.ts';
import { dataFolder } from '../support/process/data-folder.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly finding: string;
  readonly advice: string | null;
}

const all = migrations.map(({ name }) => name);
const linesOf = ({ output }: Done) => objectsOf(output);

describe('doctor', () => {
  const database = databaseOf('test');

  const examined = (settings: Record<string, string>) => command(['doctor', '--json'], settings);
  const asThe = (role: 'service' | 'operator' | 'owner' | 'redirector', settings = {}) =>
    examined({ DATABASE_URL: database.url(role), ...settings });
  const findings = (done: Done, check: string): Finding[] =>
    linesOf(done).filter((one: Finding) => one.check === check);
  const finding = (done: Done, check: string): Finding => {
    const [one, ...more] = findings(done, check);
    if (!one || more.length > 0) throw new Error(`one finding on ${check} is expected:\n${done.output}`);
    return one;
  };

  it('finds nothing amiss with the roles of least privilege', async () => {
    for (const role of ['operator', 'service'] as const) {
      const done = await asThe(role);
      expect(done.code, done.output + done.errors).to.equal(0);
      expect(done.errors).to.equal('');
      for (const check of 'settings database version encoding writes rights pool clock'.split(' ')) {
        expect(finding(done, check), check).to.include({ state: 'ok', advice: null });
      }
    }
    expect(finding(await asThe('operator'), 'migrations')).to.include({
      finding: 'none is pending',
    });
  });

  it('looks for the Redis that limits are to be counted in, and goes on without it', async () => {
    const REDIS_URL = `redis://me:MARKED@127.0.0.1:${await freePort()}/1`;
    const done = await asThe('service', { REDIS_URL });
    expect(done.code).to.equal(1);
    expect(finding(done, 'redis').finding).to.match(
      /^127\.0\.0\.1:[0-9]+\/1 cannot be used \(ECONNREFUSED\)$/,
    );
    expect(finding(done, 'database')).to.include({ state: 'ok' });
    expect(done.output + done.errors).not.to.include('MARKED');
  });

  it('speaks to people in lines, and never shows the password', async () => {
    const { output, errors } = await command(['doctor'], { DATABASE_URL: database.url('owner') });
    expect(output).to.match(/^ok {7}settings {4}none is wrong\n/);
    expect(output).to.match(/^warning {2}rights .* owns the schema, .*\n {21}use it for/m);
    const { password = '' } = database.address('owner');
    expect(output + errors).not.to.include(password);
  });

  it('names the rights that are missing and those that are too many, of this user', async () => {
    const { service, operator } = roles;
    await database.admin.query(`revoke update (target_url) on campaign_mirror.mirrors from ${service}`);
    await database.admin.query(`grant delete on campaign_mirror.mirrors to ${service}`);
    await database.admin.query(`grant select (name) on campaign_mirror.campaigns to ${service}`);
    const done = await asThe('service');
    expect(done.code).to.equal(1);
    const [missing, beyond, ...more] = findings(done, 'rights');
    expect(more).to.deep.equal([]);
    expect(missing).to.include({ state: 'problem' });
    expect(missing?.finding).to.match(/lacks what the service needs: update on mirrors$/);
    expect(beyond).to.include({ state: 'warning' });
    expect(beyond?.finding).to.match(/more than the service needs: select on campaigns, delete on mirrors$/);

    await database.admin.query(`revoke usage on sequence campaign_mirror.mirrors_id_seq from ${operator}`);
    await database.admin.query(`revoke all on function campaign_mirror.prune_history from ${operator}`);
    await database.admin.query(`grant update on campaign_mirror.mirror_history to ${operator}`);
    const [lost, found] = findings(await asThe('operator'), 'rights');
    expect(lost?.finding).to.match(/operator needs: usage on mirrors_id_seq, execute on prune_history$/);
    expect(found?.finding).to.match(/operator needs: update on mirror_history$/);
    expect(findings(await asThe('redirector'), 'rights')[0]).to.include({ state: 'problem' });
  });

  it('names a setting that contradicts a default once, one that is misspelt, and goes on', async () => {
    const done = await asThe('operator', { REUSE_PORT: 'on', PORT: '0', POOL_SZIE: '7' });
    expect(done.code).to.equal(1);
    expect(findings(done, 'settings').map(({ state, finding }) => [state, finding])).to.deep.equal([
      ['problem', 'REUSE_PORT=on needs a PORT: with 0 each process takes another'],
      ['warning', 'POOL_SZIE is no setting: did you mean POOL_SIZE?'],
    ]);
    expect(finding(done, 'database')).to.include({ state: 'ok' });
  });

  it('names what is wrong with the settings, each of them, and goes on', async () => {
    const done = await asThe('operator', {
      PORT: 'x',
      IDLE_TIMEOUT: '1',
      STATEMENT_TIMEOUT: 'soon',
      POOL_SIZE: '1000',
    });
    expect(done.code).to.equal(1);
    expect(findings(done, 'settings').map((one) => one.finding.split(' ')[0])).to.deep.equal([
      'PORT',
      'IDLE_TIMEOUT',
      'STATEMENT_TIMEOUT',
    ]);
    expect(finding(done, 'pool').state).to.equal('problem');
    const unknown = await examined({ DATABASE_URL: 'mysql://me:MARKED@db/x' });
    expect(unknown.code).to.equal(1);
    expect(
      linesOf(unknown).map(({ check }) => check),
      'no other database is looked at',
    ).to.deep.equal(['settings']);
    expect(unknown.output).not.to.include('MARKED');
  });

  it('a database that is away: exit code 3, and what can be told without it is told', async () => {
    const done = await examined({
      DATABASE_URL: 'postgres://me:MARKED@127.0.0.1:9/x',
      DATABASE_WAIT: '0s',
      PORT: 'x',
    });
    expect(done.code).to.equal(3);
    expect(linesOf(done).map(({ check, state }) => `${check} ${state}`)).to.deep.equal([
      'settings problem',
      'database problem',
    ]);
    expect(finding(done, 'database').finding).to.match(/^the database 127\.0\.0\.1:9\/x cannot be reached/);
    expect(done.output + done.errors).not.to.include('MARKED');
  });

  it('limits of the database on connections, and what would not outlast a loss of power', async () => {
    await database.admin.query(`alter database ${database.name} connection limit 7`);
    await database.admin.query(`alter database ${database.name} set synchronous_commit = off`);
    const done = await asThe('operator');
    expect(done.code).to.equal(1);
    expect(finding(done, 'pool').finding).to.match(/^POOL_SIZE is 10, of 7 connections/);
    expect(finding(done, 'durability')).to.include({ state: 'warning' });
    expect(finding(done, 'durability').finding).to.include('synchronous_commit');
    expect(finding(await asThe('operator', { POOL_SIZE: '2' }), 'pool').state).to.equal('ok');
  });

  it('a database in another encoding than UTF8 is a problem', async () => {
    const other = await emptyDatabase('owner', latin1);
    const done = await examined({ DATABASE_URL: other.url('owner') });
    expect(finding(done, 'encoding')).to.deep.equal({
      check: 'encoding',
      state: 'problem',
      finding: 'the database is in LATIN1',
      advice: 'make one with encoding UTF8',
    });
  });

  it('a server that takes no writes is a problem', async () => {
    await database.admin.query(`alter database ${database.name} set default_transaction_read_only = on`);
    const done = await asThe('service');
    expect(done.code).to.equal(1);
    expect(finding(done, 'writes')).to.deep.equal({
      check: 'writes',
      state: 'problem',
      finding: 'this server takes no writes: it is set to read only (default_transaction_read_only)',
      advice: 'name the primary in DATABASE_URL or PGHOST',
    });
  });

  it('the embedded database: with the disk that it lies on; one that is not there is not made', async () => {
    const folder = await dataFolder();
    const settings = { DATA_DIR: folder.path };
    const none = await examined(settings);
    expect(none.code, none.output).to.equal(0);
    expect(finding(none, 'database').finding).to.match(/^there is no embedded database in /);
    expect(await stat(folder.path).catch(() => 'none')).to.equal('none');

    const service = await listeningService(settings);
    const done = await examined(settings);
    expect(done.code, done.output).to.equal(0);
    expect(finding(done, 'rights')).to.include({
      state: 'ok',
      finding: `the user "${roles.operator}" may do what the operator does, no more`,
    });
    expect(finding(done, 'disk').finding).to.match(/^[\d.]+ GiB are free for DATA_DIR/);
    await service.process.stop();
    await folder.remove();
  });

  it('little room on the disk, and clocks apart', () => {
    const room = (bytes: number) => ofDisk(bytes, '/').state;
    expect([room(2 ** 27), room(2 ** 30), room(2 ** 32)]).to.deep.equal(['problem', 'warning', 'ok']);
    const clock = checks.find(({ name }) => name === 'clock');
    expect(clock?.ask({ facts: { apart: 59.96 } } as Asked)).to.deep.equal({
      state: 'warning',
      finding: 'the clocks of this machine and of the server are 60.0 s apart',
      advice: "set both by NTP: keys expire by the server's, the log tells this machine's",
    });
  });

  it('migrations that are pending are a problem; those of a newer version are told', async () => {
    const empty = await emptyDatabase('owner');
    const done = await examined({ DATABASE_URL: empty.url('owner') });
    expect(done.code).to.equal(1);
    expect(finding(done, 'migrations')).to.include({
      state: 'problem',
      finding: `pending: ${all.join(', ')}`,
    });
    await database.admin.query("insert into campaign_mirror.migrations (name) values ('9999-newer')");
    expect(finding(await asThe('operator'), 'migrations')).to.include({
      state: 'warning',
      finding: 'applied by a newer version: 9999-newer',
    });
  });
});

describe('migrate --status', () => {
  const database = databaseOf('test', () => emptyDatabase('owner'));
  const status = (...args: string[]) =>
    command(['migrate', '--status', ...args], { DATABASE_URL: database.url('owner') });

  it('tells what is pending, with exit code 1, and changes nothing', async () => {
    const { code, output, errors } = await status();
    expect(code).to.equal(1);
    expect(output).to.match(/^migration +state +applied\n0001-schema +pending +-\n/);
    expect(errors).to.equal(
      'Some are pending: run `./campaign-mirror migrate` as the owner of the schema.\n',
    );
    const { rows } = await database.admin.query(
      "select nspname from pg_namespace where nspname like 'campaign%'",
    );
    expect(rows).to.deep.equal([]);
  });

  it('tells what is applied and when, and what a newer version did', async () => {
    await command(['migrate'], { DATABASE_URL: database.url('owner') });
    const done = await status('--json');
    expect(done).to.include({ code: 0, errors: '' });
    expect(linesOf(done).map(({ name, state }) => [name, state])).to.deep.equal(
      all.map((name) => [name, 'applied']),
    );
    for (const { applied_at } of linesOf(done)) expect(applied_at).to.match(/^\d{4}-.*\.\d{6}Z$/);
    await database.admin.query("insert into campaign_mirror.migrations (name) values ('9999-newer')");
    const newer = await status('--json');
    expect(newer).to.include({
      code: 0,
      errors: 'What is unknown was applied by a newer version: run that one.\n',
    });
    expect(linesOf(newer).at(-1)).to.include({ name: '9999-newer', state: 'unknown' });
  });
});
