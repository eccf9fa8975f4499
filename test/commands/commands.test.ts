import { expect } from 'chai';
import { answered, command, commandProcess } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('every command: one clear line and an exit code for each fault', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);

  it('wrong words end with exit code 2 and one line, and nothing is done', async () => {
    const number = /whole number from 1 to 9007199254740991 is expected: `\.\/campaign-mirror /;
    const misunderstood: [fault: RegExp, line: string, ...last: string[]][] = [
      [number, 'campaign create --owner 0'],
      [/A name on one line, of 1 to 200 characters, is expected/, 'key issue --owner 1 --name', 'x\ny'],
      [/^--subdomains needs --host: `\.\/campaign-mirror mirror list --help` /, 'mirror list --subdomains'],
      [/^exactly one of a campaign, --key and --move is needed: /, 'mirror history 42 --key 1'],
      [/^unknown option '--from' \(Did you mean --from-host\?\): /, 'mirror move --from a.example'],
      [/^too many arguments .*: `\.\/campaign-mirror mirror list --help` /, 'mirror list 42'],
      [/^unknown command 'mirrors' \(Did you mean mirror\?\): `\.\/campaign-mirror --help` /, 'mirrors list'],
      [
        /^option '--to-host <host>' is given twice: /,
        'mirror move --from-host a --to-host b --to-host c --yes',
      ],
      [/^an argument is not in UTF-8\n$/, 'mirror set --as-operator 42', 'https://a.example/caf\ufffd'],
    ];
    for (const [fault, line, ...last] of misunderstood) {
      const { code, output, errors } = await on.run(...line.split(' '), ...last);
      expect({ code, output }, line).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(fault);
      expect(errors.split('\n'), 'one line').to.have.length(2);
    }
  });

  it('a password in a wrong place is not repeated', async () => {
    for (const words of ['import', 'export', 'migrate', 'mirror list --host']) {
      const { code, output, errors } = await on.run(...words.split(' '), 'postgres://me:MARKED@db.example/x');
      expect(code, words).to.be.oneOf([1, 2]);
      expect(output + errors, words).not.to.include('MARKED');
    }
  });

  it('a database that is unavailable, refuses the role, or has no schema is named, with the remedy', async () => {
    const run = (DATABASE_URL: string, line = 'campaign list') =>
      command(line.split(' '), { DATABASE_URL, DATABASE_WAIT: '0s' });
    const nowhere = 'postgres://me:MARKED@127.0.0.1:9/x';
    const away = await run(nowhere);
    expect(away.code).to.equal(3);
    expect(away.errors).to.match(/^the database 127\.0\.0\.1:9\/x cannot be reached .*\n$/);
    const { errors } = await run(nowhere, 'campaign list --verbose');
    expect(errors)
      .to.match(/"stack": " {4}at /)
      .and.not.include('MARKED');
    expect((await run(database.url('redirector'))).errors).to.match(
      /, user "campaign_mirror_redirector": permission denied for .+ \(42501\): run ops\/roles.sql .*\n$/,
    );
    const empty = await emptyDatabase();
    expect((await run(empty.url('owner'))).errors).to.match(
      /: run `\.\/campaign-mirror migrate` as the owner .*\n$/,
    );
    expect(await run(empty.url('owner'), 'migrate')).to.deep.equal(answered('The schema was made.\n'));
    expect((await run(empty.url('operator'))).code).to.equal(0);
  });

  it('a signal stops a process between two steps, with its exit code', async () => {
    const holder = await rival(database, 'lock table campaign_mirror.migrations in access exclusive mode');
    const migrating = commandProcess(['migrate'], { DATABASE_URL: database.url('owner') });
    await untilWaiting(database, migrating.ended, 1, ['campaign_mirror_owner']);
    expect(await migrating.stop('SIGHUP')).to.deep.equal({ code: 129, signal: null });
    expect(migrating).to.include({ output: '', errors: 'Nothing was done.\n' });
    await holder.rollback();
  });

  it('a write that has begun is finished, whatever signal arrives', async () => {
    const { id } = await on.object('key issue --owner 1 --name held');
    const { other, running } = await on.held(`lock table campaign_mirror.access_keys`, `key revoke ${id}`);
    running.stop();
    await other.rollback();
    expect((await running.ended).code, running.errors).to.equal(0);
    expect((await on.object('key list')).revoked_at).not.to.equal(null);
  });
});
