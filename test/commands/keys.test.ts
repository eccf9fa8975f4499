import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { answered } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService, projectFolder, start } from '../support/process/service-process.ts';

const day = 86_400;

describe('key: an operator issues, rotates and revokes access keys, which are shown once and stored as a hash', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const run = (...args: string[]) => on.run('key', ...args);
  const listed = (owner: number) => on.objects('key', 'list', '--owner', `${owner}`);
  const issued = (owner: number, ...args: string[]) =>
    on.object('key', 'issue', '--owner', `${owner}`, '--name', 'tests', ...args);
  const rotated = (id: number, ...args: string[]) => on.object('key', 'rotate', `${id}`, ...args);
  /** In seconds. */
  const lifetime = ({ created_at, expires_at }: Record<'created_at' | 'expires_at', string>) =>
    (Date.parse(expires_at) - Date.parse(created_at)) / 1_000;
  it('issue prints a key once, stores its SHA-256, and list shows its first ten characters', async () => {
    expect(await run('list')).to.deep.equal(answered('', 'No access key was found.\n'));
    const cases: [told: string, seconds: number | undefined, ...args: string[]][] = [
      [' It expires in 365 days.', 365 * day],
      ['', day / 2, '--expires-in', '12h'],
      [' It never expires.', undefined, '--no-expiry'],
    ];
    const name = '? $1 \'"\\ :x {0} \u202e\u00fc\u{1f389}';
    for (const [told, seconds, ...args] of cases) {
      const { output, errors } = await run('issue', '--owner', '14', '--name', name, ...args);
      const { id, created_at, expires_at, ...record } = (await listed(14)).at(-1);
      expect(errors).to.include(`Key ${id} of owner 14.${told} It cannot be shown again:\n`);
      const key = output.trim();
      expect(key).to.match(/^cm_[0-9A-Za-z]{49}$/);
      const none = { hosts: null, last_used_at: null, revoked_at: null, replaced_by: null };
      expect(record).to.deep.equal({ displayed: key.slice(0, 10), name, owner_id: 14, ...none });
      if (seconds === undefined) expect(expires_at).to.equal(null);
      else expect(lifetime({ created_at, expires_at })).to.be.within(seconds - 1, seconds + 1);
      const row =
        "select encode(hash, 'hex') || to_json(k) as stored from campaign_mirror.access_keys k where id = $1";
      const { stored } = (await database.admin.query(row, [id])).rows[0];
      expect(stored).to.include(createHash('sha256').update(key).digest('hex'));
      for (const secret of [key.slice(0, 11), key.slice(10, 20), key.slice(-8)])
        expect(`${stored}${(await run('list')).output}`).not.to.include(secret);
    }
  });

  it('issue names the key to revoke if standard output fails, and issues none if it is closed', async () => {
    const issuing = async (redirection: string) => {
      const words = ['key', 'issue', '--owner', '11', '--name', 'unseen'];
      const shell = ['-c', `exec "$@" ${redirection}`, 'sh', `${projectFolder}campaign-mirror`, ...words];
      return start('sh', shell, on.settings).done();
    };
    const { code, errors } = await issuing('>/dev/full');
    const [{ id }, ...more] = await listed(11);
    expect([code, more]).to.deep.equal([1, []]);
    expect(errors).to.include(`revoke it by \`./campaign-mirror key revoke ${id}\``).and.not.match(/cm_/);
    const closed = await issuing('>&-');
    expect(closed.code).to.equal(2);
    expect(closed.errors).to.equal('campaign-mirror: standard output is closed: nothing was done\n');
    expect(await listed(11)).to.have.length(1);
  });

  it('rotate issues a successor with the same lifetime; the old key works for a day or the given time', async () => {
    const old = await issued(9);
    const { output, errors } = await run('rotate', `${old.id}`);
    expect(output).to.match(/^cm_[0-9A-Za-z]{49}\n$/);
    const [, id = '', end = ''] = /^Key (\d+) .* key \d+, which expires at (\S+)\. /.exec(errors) ?? [];
    expect((Date.parse(end) - Date.now()) / 1_000).to.be.within(day - 3_600, day + 3_600);
    const { key, replaced_expires_at, ...next } = await rotated(Number(id), '--grace', '0s');
    expect(next).to.deep.equal({ id: Number(id) + 1, replaces: Number(id) });
    expect(key).to.match(/^cm_/);
    const records = await listed(9);
    expect(records.map((one) => one.replaced_by)).to.deep.equal([Number(id), next.id, null]);
    expect(records[1]?.expires_at).to.equal(replaced_expires_at);
    const [entry] = await on.objects('audit --act key-rotated --limit 1');
    expect(entry).to.include({ access_key_id: Number(id), owner_id: 9 });
    expect(entry.details).to.include({ replaced_by: next.id, grace: 0 });

    const short = await issued(15, '--expires-in', '1h');
    const [{ expires_at }] = await listed(15);
    expect((await rotated(short.id)).replaced_expires_at, 'not later than before').to.equal(expires_at);
    expect(lifetime((await listed(15)).at(-1))).to.be.within(3_599, 3_601);
  });

  it('rotate refuses a replaced, revoked or unknown key; neither command repeats a key', async () => {
    const old = await issued(10);
    const next = await rotated(old.id);
    await run('revoke', `${next.id}`);
    const before = await listed(10);
    const issue = 'issue another with `./campaign-mirror key issue`';
    await on.session(`
      $ key rotate 999999
      ! there is no key 999999: \`./campaign-mirror key list\` shows all keys with their numbers
      $ key rotate ${old.id}
      ! key ${old.id} was replaced by key ${next.id} already: rotate that one, or ${issue}
      $ key rotate ${next.id}
      ! key ${next.id} is revoked: ${issue}`);
    expect(await listed(10)).to.deep.equal(before);
    for (const command of ['revoke', 'rotate']) {
      const { code, output, errors } = await run(command, old.key);
      expect([code, output], command).to.deep.equal([2, '']);
      expect(errors).not.to.include(old.key.slice(0, 11));
    }
  });

  it('revoke ends several keys, those of an owner, or all, after a question with their number', async () => {
    const [one, two, three] = [await issued(31), await issued(31), await issued(31)];
    await issued(32);
    const revoked = async (owner: number) => (await listed(owner)).map((key) => key.revoked_at !== null);
    await on.session(`
      $ key revoke ${two.id} 999999 ${one.id} ${two.id}
      Key ${one.id} is revoked.
      Key ${two.id} is revoked.
      ! there is no key 999999: the others are revoked; \`./campaign-mirror key list\` shows all keys with their numbers
      [1]
      $ key revoke --owner 31
      ! Revoke 1 key of owner 31? There is no terminal to ask on: add --yes to confirm.
      [2]`);
    expect(await revoked(31)).to.deep.equal([true, true, false]);
    await on.session(`
      $ key revoke --owner 31 --yes
      Key ${three.id} is revoked.
      $ key revoke --owner 31
      ! Every key of owner 31 was revoked before: nothing was done.
      [0]`);
    expect(await revoked(32)).to.deep.equal([false]);

    const valid = (await on.objects('key list')).filter(({ revoked_at }) => revoked_at === null);
    const asking = on.asking('key', 'revoke', '--all');
    await asking.shows(`Revoke ${valid.length} keys of all owners?`);
    asking.type('y\r');
    expect((await asking.ended).code).to.equal(0);
    expect((await on.objects('key list')).every(({ revoked_at }) => revoked_at !== null)).to.equal(true);
    const entries = (await on.objects('audit --act key-revoked')).slice(0, valid.length);
    expect(new Set(entries.map((entry) => entry.request_id)).size, 'one act').to.equal(1);
  });

  it('the service refuses a revoked key, and one rotated without grace, at the next call', async () => {
    const { id: campaign } = await on.object('campaign create --owner 12');
    await on.run(`mirror create ${campaign} --target-url https://example.com/`);
    const { base, process } = await listeningService({
      DATABASE_URL: database.url('service'),
      RUN_MIGRATIONS: 'false',
    });
    const status = async (key: string) =>
      (await call({ campaign, key, address: 'https://example.com/new', base })).status;
    const zero = await issued(12);
    const one = await rotated(zero.id);
    for (const { key } of [zero, one]) expect(await status(key)).to.equal(200);
    const two = await rotated(one.id, '--grace', '0s');
    expect([await status(one.key), await status(two.key)]).to.deep.equal([401, 200]);
    await run('revoke', `${two.id}`);
    expect(await status(two.key)).to.equal(401);
    await process.stop();
    for (const { id, last_used_at } of await listed(12)) expect(last_used_at, `key ${id}`).not.to.equal(null);
  });
});
