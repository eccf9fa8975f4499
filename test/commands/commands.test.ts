import { expect } from 'chai';
import { answered, command, startCommandProcess } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { projectFolder, start } from '../support/process/service-process.ts';

describe('what holds of every command', () => {
  const database = databaseOf('suite');
  const { run } = commandsOn(database);

  it('the help is there at once: it loads nothing for the database', async () => {
    const hooks = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => {
        if (/^(pg|@mikro-orm|@campaign-mirror.adapters-persistence)/.test(name)) throw new Error(name);
        return next(name, context);
      } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hooks)}`;
    const loading = (line: string) => startCommandProcess(line.split(' '), { NODE_OPTIONS }).done();
    for (const line of ['--help', 'campaign --help', 'doctor --help', '--version'])
      expect(await loading(line), line).to.include({ code: 0, errors: '' });
    expect(await loading('campaign create')).to.include({ code: 2 });
    expect((await loading('campaign list')).errors).to.include('@campaign-mirror/adapters-persistence');
  });

  it('what is misunderstood: exit code 2, and nothing is done', async () => {
    const number = /whole number from 1 to 9007199254740991 is expected: `\.\/campaign-mirror /;
    const misunderstood: [what: RegExp, line: string, ...last: string[]][] = [
      [number, 'campaign create --owner 0'],
      [/A time such as 1s, 30m, 12h or 90d/, 'key issue --owner 1 --name x --expires-in 90'],
      [/A name on one line, of 1 to 200 characters, is expected/, 'key issue --owner 1 --name', 'x\ny'],
      [/^--subdomains needs --host: `\.\/campaign-mirror mirror list --help` /, 'mirror list --subdomains'],
      [
        /^exactly one of a campaign, --key and --move is needed: `\.\/campaign-mirror /,
        'mirror history 42 --key 1',
      ],
      [/A time in UTC such as 2026-11-20/, 'mirror history --key 1 --since 2026-02-30'],
      [/^either --undo or --to is needed: /, 'mirror restore 42'],
      [
        /^unknown option '--from' \(Did you mean --from-host\?\): `\.\/campaign-mirror mirror move --help` /,
        'mirror move --from a.example',
      ],
      [/^too many arguments .*: `\.\/campaign-mirror mirror list --help` /, 'mirror list 42'],
      [/^unknown command 'mirrors' \(Did you mean mirror\?\): `\.\/campaign-mirror --help` /, 'mirrors list'],
      [
        /'\*\.a\.example' is invalid\. Write a\.example with --subdomains: /,
        'mirror list --host *.a.example',
      ],
      [/A time such as 0s, 30m, 24h or 7d/, 'key rotate 1 --grace=-1h'],
      [/An age such as 400d or 48h/, 'history prune --yes --older-than=23h'],
      [
        /^option '--to-host <host>' is given twice: .*\n$/,
        'mirror move --from-host a.example --to-host b.example --to-host c.example --yes',
      ],
      [/'--file <file>' argument is empty/, 'mirror set --yes --file', ''],
      [/^an argument is not in UTF-8\n$/, 'mirror set --as-operator 42', 'https://a.example/caf\ufffd'],
    ];
    for (const [what, line, ...last] of misunderstood) {
      const { code, output, errors } = await run(...line.split(' '), ...last);
      expect({ code, output }, line).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(what);
      expect(errors.split('\n'), 'one line').to.have.length(2);
    }
  });

  it('a password that stands in a wrong place is not repeated', async () => {
    for (const words of ['import', 'export', 'migrate', 'mirror list --host']) {
      const { code, output, errors } = await run(...words.split(' '), 'postgres://me:MARKED@db.example/x');
      expect(code, words).to.be.oneOf([1, 2]);
      expect(output + errors, words).not.to.include('MARKED');
    }
  });

  it('a database that is away, refuses, or was never migrated: one clear line', async () => {
    const on = (DATABASE_URL: string, line = 'campaign list') =>
      command(line.split(' '), { DATABASE_URL, DATABASE_WAIT: '0s' });
    const nowhere = 'postgres://me:MARKED@127.0.0.1:9/x';
    const away = await on(nowhere);
    expect(away.code).to.equal(3);
    expect(away.errors).to.match(/^the database 127\.0\.0\.1:9\/x cannot be reached .*\n$/);
    const { errors } = await on(nowhere, 'campaign list --verbose');
    expect(errors).to.match(/"stack": " {4}at /);
    expect(errors).not.to.include('MARKED');
    expect((await on(database.url('redirector'))).errors).to.match(
      /, user "campaign_mirror_redirector": permission denied for .+ \(42501\): run ops\/roles.sql in the database, then `\.\/campaign-mirror migrate` as the owner of the schema; run other commands as the operator, .*\n$/,
    );
    const empty = await emptyDatabase('owner');
    expect((await on(empty.url('owner'))).errors).to.match(
      /: the schema is not made, .*: run `\.\/campaign-mirror migrate` as the owner of the schema; if there was data .*\n$/,
    );
    expect(await on(empty.url('owner'), 'migrate')).to.deep.equal(answered('The schema was made.\n'));
    expect((await on(empty.url('operator'))).code).to.equal(0);
    // In a process of its own, which ends: long before the server ends a login that nobody goes on with.
    const url = new URL(database.url('operator'));
    url.password = '';
    const passwordless = startCommandProcess(['campaign', 'list'], { DATABASE_URL: url.href });
    expect(await passwordless.ended).to.deep.equal({ code: 3, signal: null });
    expect(passwordless.errors).to.match(
      /: no password is given: set PGPASSWORD, or put it into DATABASE_URL\n$/,
    );
  });
});

describe('a call of the command line', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const held = (table: string) =>
    rival(database, `lock table campaign_mirror.${table} in access exclusive mode`);

  it('in a process of its own, a signal stops it between two steps, with its exit code', async () => {
    const holder = await held('migrations');
    const migrating = startCommandProcess(['migrate'], { DATABASE_URL: database.url('owner') });
    await untilWaiting(database, migrating.ended, 1, ['campaign_mirror_owner']);
    expect(await migrating.stop('SIGHUP')).to.deep.equal({ code: 129, signal: null });
    expect(migrating).to.include({ output: '', errors: 'Nothing was done.\n' });
    await holder.rollback();
  });

  it('an output that is full is told, by the exit code too: what it holds is not whole', async () => {
    const words = ['-c', 'exec "$0" campaign list --json > /dev/full', `${projectFolder}campaign-mirror`];
    await on.run('campaign create --owner 1');
    const { code, errors } = await start('sh', words, on.settings).done();
    expect(errors).to.match(/^standard output cannot be written \(ENOSPC\)/);
    expect(code).to.equal(1);
  });

  it('what is being written is brought to its end', async () => {
    const { id } = await on.object('key issue --owner 1 --name held');
    const words = ['key', 'revoke', `${id}`];
    const { other, running } = await on.held(`lock table campaign_mirror.access_keys`, ...words);
    running.interrupt();
    await other.rollback();
    expect((await running.ended).code, running.errors).to.equal(0);
    expect((await on.object('key list')).revoked_at).not.to.equal(null);
  });
});
