import { createHash } from 'node:crypto';
import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { answered, piped } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf } from '../support/process/lives.ts';
import {
  type Listening,
  listeningService,
  projectFolder,
  start,
} from '../support/process/service-process.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';

const day = 86_400;

describe('commands for keys', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const run = (...args: string[]) => on.run('key', ...args);
  const json = (...args: string[]) => on.object('key', ...args);
  const listed = (owner: string) => on.objects('key', 'list', '--owner', owner);
  const issued = (owner: string, ...args: string[]) =>
    json('issue', '--owner', owner, '--name', 'tests', ...args);
  /** In seconds. */
  const life = ({ created_at, expires_at }: Record<'created_at' | 'expires_at', string>) =>
    (Date.parse(expires_at) - Date.parse(created_at)) / 1_000;
  const stored = async (id: number): Promise<string> => {
    const { rows } = await database.admin.query(
      "select encode(hash, 'hex') || ' ' || to_json(k) as stored from campaign_mirror.access_keys k where id = $1",
      [id],
    );
    return rows[0].stored;
  };
  let serving: Promise<Listening> | undefined;
  /** One for all tests, the last of which stops it. */
  const service = () => {
    const settings = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    serving ??= listeningService({ ...settings, MIRROR_HOST_DENYLIST: 'go.b\u00fccher.example' });
    return serving;
  };
  before(async () => {
    // Where clocks are changed, and times are written in another way.
    await database.admin.query(`alter database ${database.name} set timezone = 'America/St_Johns'`);
    await database.admin.query(`alter database ${database.name} set datestyle = 'SQL, DMY'`);
  });

  it('list: a table for people, and one object a line for programs', async () => {
    expect(await run('list')).to.deep.equal(answered('', 'There is no access key.\n'));
    const [owner, name] = ['9007199254740991', '? $1 \'"\\ :x {0} \u202e\u00fc\u{1f389}'];
    const one = await json('issue', '--owner', owner, '--name', name, '--expires-in', '90d');
    await json('issue', '--owner', '8', '--name', 'another', '--no-expiry');
    const [{ created_at, expires_at, ...record }, ...more] = await listed(owner);
    expect(more).to.deep.equal([]);
    const fields = { id: one.id, displayed: one.key.slice(0, 10), name, owner_id: Number(owner) };
    const none = { hosts: null, last_used_at: null, revoked_at: null, replaced_by: null };
    expect(record).to.deep.equal({ ...fields, ...none });
    expect([created_at, expires_at].join()).to.match(/^\d{4}-\S+\.\d{6}Z,\d{4}-\S+\.\d{6}Z$/);

    const { output } = await run('list');
    expect(output).to.match(new RegExp(` ${one.id}  ${one.key.slice(0, 10)} +${owner} `));
    expect(output).to.match(/ never .* another$/m);
    expect(output).not.to.include(one.key.slice(0, 11));
  });

  it('issue: a key lives for a year, as long as is said, or for ever, and only its SHA-256 is kept', async () => {
    const cases: [told: string, life: number | undefined, ...args: string[]][] = [
      [' It expires in 365 days.', 365 * day],
      ['', day / 2, '--expires-in', '12h'],
      [' It never expires.', undefined, '--no-expiry'],
    ];
    for (const [told, asked, ...args] of cases) {
      const { output, errors } = await run('issue', '--owner', '14', '--name', 'lives', ...args);
      const record = (await listed('14')).at(-1);
      expect(errors).to.equal(
        'The owner 14 had no campaign so far: check the number.\n' +
          `Key ${record.id} of the owner 14.${told} It cannot be shown again:\n`,
      );
      const key = output.trim();
      expect(key).to.match(/^cm_[0-9A-Za-z]{49}$/);
      expect(record.displayed).to.equal(key.slice(0, 10));
      if (asked === undefined) expect(record.expires_at).to.equal(null);
      else expect(life(record)).to.be.within(asked - 1, asked + 1);
      const kept = await stored(record.id);
      expect(kept).to.include(createHash('sha256').update(key).digest('hex'));
      for (const secret of [key.slice(0, 11), key.slice(10, 20), key.slice(-8)])
        expect(kept).not.to.include(secret);
    }
  });

  it('rotate: the new key alone on standard output, the old one for a day or as long as is said', async () => {
    const old = await issued('9');
    const { output, errors } = await run('rotate', String(old.id));
    expect(output).to.match(/^cm_[0-9A-Za-z]{49}\n$/);
    const [, id = '', end = ''] = /^Key (\d+) .* key \d+, which ends at (\S+)\. /.exec(errors) ?? [];
    expect((Date.parse(end) - Date.now()) / 1_000).to.be.within(day - 3_600, day + 3_600);
    const { key, replaced_expires_at, ...next } = await json('rotate', id, '--grace', '0s');
    expect(next).to.deep.equal({ id: Number(id) + 1, replaces: Number(id) });
    expect(key).to.match(/^cm_/);
    const records = await listed('9');
    expect(records.map((one) => one.replaced_by)).to.deep.equal([Number(id), next.id, null]);
    expect(records[2]?.name).to.equal('tests');
    expect(records[1]?.expires_at).to.equal(replaced_expires_at);
    const entries = (await on.objects('audit')).filter(({ act }) => act === 'key-rotated').reverse();
    expect(entries.map((one) => [one.access_key_id, one.owner_id, one.details])).to.deep.equal(
      [day, 0].map((grace, at) => {
        const { id, name, expires_at, replaced_by } = records[at] ?? expect.fail();
        const { expires_at_before } = entries[at]?.details ?? {};
        expect(expires_at_before > expires_at).to.equal(true);
        return [id, 9, { name, expires_at, expires_at_before, replaced_by, grace }];
      }),
    );
  });

  it('rotate: the life of the new key is as long, and the old one ends no later than it would have', async () => {
    const { id: soon } = await issued('15', '--expires-in', '1h');
    const [{ expires_at }] = await listed('15');
    expect((await json('rotate', `${soon}`)).replaced_expires_at).to.equal(expires_at);
    expect(life((await listed('15')).at(-1))).to.be.within(3_599, 3_601);
  });

  it('rotate: what cannot be rotated is refused in one line that says what to do, and nothing changes', async () => {
    const [old, expired] = [await issued('10'), await issued('10')];
    const next = await json('rotate', String(old.id));
    const revoked = async () => [
      await run('revoke', `${next.id}`),
      await stored(next.id),
      await on.objects('audit --limit 1'),
    ];
    expect(await revoked(), 'twice is the same as once').to.deep.equal(await revoked());
    await database.admin.query(
      'update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1',
      [expired.id],
    );
    const was = await listed('10');
    const issue = 'issue another with `./campaign-mirror key issue`';
    await on.session(`
      $ key rotate 999999
      ! there is no key 999999: \`./campaign-mirror key list\` shows all keys with their numbers
      $ key rotate ${old.id}
      ! key ${old.id} was replaced by key ${next.id} already: rotate that one, or ${issue}
      $ key rotate ${next.id}
      ! key ${next.id} is revoked: ${issue}
      $ key rotate ${expired.id}
      ! key ${expired.id} is expired: ${issue}
      $ key revoke 999999
      ! there is no key 999999: \`./campaign-mirror key list\` shows all keys with their numbers`);
    expect(await listed('10')).to.deep.equal(was);
    const number = /The number of the key in `.\/campaign-mirror key list`, .* is expected: /;
    for (const command of ['revoke', 'rotate']) {
      const { code, output, errors } = await run(command, old.key);
      expect([code, output], command).to.deep.equal([2, '']);
      expect(errors).to.match(number).and.not.include(old.key.slice(0, 11));
    }
  });

  it('revoke: several keys, those of an owner or all, after a question with their number; what is not there is told', async () => {
    const own = [await issued('31'), await issued('31'), await issued('31')];
    const [one, two, three] = own.map(({ id }) => id);
    const other = await issued('32');
    const revoked = async (owner: string) => (await listed(owner)).map((key) => key.revoked_at !== null);
    await on.session(`
      $ key revoke ${two} 999999 ${one} ${two} 999998
      Key ${one} is revoked.
      Key ${two} is revoked.
      ! there is no key 999999 or 999998: the others are revoked; \`./campaign-mirror key list\` shows all keys with their numbers
      [1]
      $ key revoke ${two} --json
      {"id":${two},"revoked":true}
      $ key revoke --owner 31
      ! Revoke 1 key of the owner 31? There is no terminal to ask on: add --yes to confirm.
      [2]
      $ key revoke --owner 33 --yes
      ! there is no key of the owner 33: \`./campaign-mirror key list\` shows all keys with their numbers`);
    expect(await revoked('31')).to.deep.equal([true, true, false]);
    const refusing = on.asking('key', 'revoke', '--all');
    await refusing.shows(' keys of all owners?');
    refusing.type('n\r');
    expect((await refusing.ended).code).to.equal(1);
    await on.session(`
      $ key revoke --owner 31 --yes
      Key ${three} is revoked.
      $ key revoke --owner 31
      ! Every key of the owner 31 was revoked before: nothing was done.
      [0]`);
    expect(await revoked('32')).to.deep.equal([false]);

    const before = (await on.objects('key list')).filter(({ revoked_at }) => revoked_at === null);
    const asking = on.asking('key', 'revoke', '--all', '--json');
    await asking.shows(`Revoke ${before.length} keys of all owners?`);
    asking.type('y\r');
    expect((await asking.ended).code).to.equal(0);
    const told = objectsOf(asking.output.slice(asking.output.indexOf('{')));
    expect(told).to.deep.equal(before.map(({ id }) => ({ id, revoked: true })));
    const [entry, ...entries] = (await on.objects('audit --act key-revoked')).slice(0, before.length);
    expect(new Set(entries.map((one) => one.request_id)), 'one act').to.deep.equal(
      new Set([entry.request_id]),
    );
    expect(entry.access_key_id).to.equal(other.id);

    const [{ revoked_at }] = await listed('32');
    const since = await on.objects(`key list --revoked-since ${revoked_at}`);
    expect(since.map(({ id }) => id))
      .to.include(other.id)
      .and.not.include(three);
    const next = await on.object('key issue --owner 33 --name rotated');
    await on.run(`key rotate ${next.id} --grace 0s`);
    const ended = await on.objects(`key list --owner 33 --revoked-since ${revoked_at}`);
    expect(
      ended.map(({ id }) => id),
      'a restore would revive it, too',
    ).to.deep.equal([next.id]);
    await on.session(`
      $ key list --owner 31 --revoked-since 2096-11-20
      ! There is no access key of the owner 31 revoked or rotated at or after 2096-11-20T00:00:00.000000Z.
      [0]
      $ key list --owner 31 --expiring 1h
      ! There is no access key of the owner 31 to replace within that time.
      [0]`);
  });

  it('rotate --hosts: the successor sets mirrors to these hosts, whatever those of the old key are', async () => {
    const { id: one } = await issued('41', '--hosts', 'old.example');
    const { id: two, ...more } = await json('rotate', `${one}`, '--hosts', 'new.example,*.new.example');
    expect(more.replaces).to.equal(one);
    const { errors } = await run('rotate', `${two}`, '--hosts', 'a.example, b.example');
    expect(errors).to.match(/ends at \S+\. It sets mirrors to a\.example, b\.example only\. It cannot/);
    const lists = [['old.example'], ['new.example', '*.new.example'], ['a.example', 'b.example']];
    expect((await listed('41')).map(({ hosts }) => hosts)).to.deep.equal(lists);
    const free = await issued('41');
    await on.session(`
      $ MIRROR_HOST_DENYLIST=*.denied.example key rotate ${free.id} --hosts a.example,go.denied.example
      ! the host denylist contains go.denied.example: leave it out of --hosts`);
    await run('rotate', `${free.id}`, '--hosts', 'c.example', '--grace', '0s');
    const records = await listed('41');
    expect(records).to.have.length(5);
    expect(records.at(-1)?.hosts).to.deep.equal(['c.example']);

    const ended = [await issued('41', '--hosts', 'd.example'), await issued('41', '--hosts', 'e.example')];
    await run('revoke', `${ended[0]?.id}`);
    const expire = 'update campaign_mirror.access_keys set expires_at = clock_timestamp() where id = $1';
    await database.admin.query(expire, [ended[1]?.id]);
    const { accessKeys, close } = await postgresPorts(database);
    const limited = await accessKeys.list({ owner: 41 as OwnerId, limited: true, limit: 9 });
    await close();
    expect(limited.map(({ hosts }) => hosts)).to.deep.equal([['a.example', 'b.example'], ['c.example']]);
  });

  it('where nobody could take the key, it says which one to revoke; where nobody can, none is issued', async () => {
    const words = ['key', 'issue', '--owner', '11', '--name', 'unseen'];
    const { code, errors } = await piped(words, 'true', on.settings);
    const [{ id }, ...more] = await listed('11');
    expect([code, more]).to.deep.equal([1, []]);
    expect(errors).to.include(`key ${id} was issued, but standard output did not take it`);
    expect(errors).to.include(`revoke it by \`./campaign-mirror key revoke ${id}\``);
    expect(errors).not.to.match(/cm_/);
    const shell = ['-c', '"$@" >&-', 'sh', `${projectFolder}campaign-mirror`, ...words];
    const issuing = start('sh', shell, on.settings);
    expect((await issuing.ended).code).to.equal(2);
    expect(issuing.errors).to.equal('campaign-mirror: standard output is closed: nothing was done\n');
    expect(await listed('11')).to.have.length(1);
  });

  it('issue --hosts: the key sets mirrors to these hosts only, and so does its successor; the list is shown and audited', async () => {
    const { id: campaign } = await on.object('campaign create --owner 21');
    await on.run(`mirror create ${campaign} --target-url https://example.com/`);
    const written = ['Shop.example.', '*.B\u00dcCHER.example', '0x7f.1'];
    const hosts = ['shop.example', '127.0.0.1', '*.xn--bcher-kva.example'];
    const issue = ['issue', '--owner', '21', '--name', 'ads', '--hosts', written.join(' ,')];
    const { output, errors } = await run(...issue);
    const [{ id, ...record }] = await listed('21');
    const only = `It sets mirrors to ${hosts.join(', ')} only.`;
    const told = `Key ${id} of the owner 21. It expires in 365 days. ${only} It cannot be shown again:\n`;
    expect([errors, record.hosts]).to.deep.equal([told, hosts]);
    const free = await issued('21');
    const { key: next } = await json('rotate', `${id}`);
    expect((await listed('21')).map((one) => one.hosts)).to.deep.equal([hosts, null, hosts]);
    const columns = (await run('list', '--owner', '21')).output
      .split('\n')
      .map((row) => row.split(/ {2,}/).at(-2));
    expect(columns.slice(0, 4)).to.deep.equal(['hosts', hosts.join(), 'any', hosts.join()]);
    const noted = (await on.objects('audit')).filter(
      ({ act, owner_id }) => act === 'key-issued' && owner_id === 21,
    );
    const [unrestricted, restricted] = [
      ['tests', undefined],
      ['ads', hosts.join()],
    ];
    expect(noted.map(({ details: { name, hosts } }) => [name, hosts])).to.deep.equal([
      restricted,
      unrestricted,
      restricted,
    ]);

    const { base } = await service();
    const set = async (key: string, address: string) => {
      const { status, body } = await call({ campaign, key, address, base });
      return status === 200 ? status : `${status} ${JSON.parse(body).message}`;
    };
    const refused = '422 The mirror endpoint field must not point to this host.';
    const within =
      'https://shop.example/?c={click_id} HTTP://SHOP.EXAMPLE.:8443/ https://a.b.xn--bcher-kva.example/ https://x.XN--bcher-kva.example./ http://127.0.0.1/ http://[::ffff:7f00:1]/';
    const beyond =
      'https://a.shop.example/ https://xn--bcher-kva.example/ https://shop.example.evil.example/ https://evil.example/?https://shop.example/ http://127.0.0.2/ https://go.xn--bcher-kva.example/ https://a.b\u00fccher.example/ https://__x__.xn--bcher-kva.example/ https://$x.xn--bcher-kva.example/ https://{x}.xn--bcher-kva.example/ https://%73hop.example/ https://sh\u1d3cp.example/ http://2130706433/';
    for (const key of [output.trim(), next]) {
      for (const address of within.split(' ')) expect(await set(key, address), address).to.equal(200);
      for (const address of beyond.split(' ')) expect(await set(key, address), address).to.equal(refused);
    }
    expect(await set(free.key, 'https://{sub}.evil.example/'), 'a key without a list').to.equal(200);

    const before = (await listed('21')).length;
    const all =
      '| |,|shop.example,|*|*.|https://shop.example/|shop.example:443|a b|{x}.shop.example|any|a..b|com|*.com|a_b.example';
    for (const wrong of all.split('|')) {
      const { code, output, errors } = await run('issue', '--owner', '21', '--name', 'ads', '--hosts', wrong);
      expect([code, output], wrong).to.deep.equal([2, '']);
      expect(errors).to.include('--hosts').and.include('shop.example,*.shop.example');
      expect(errors).to.include(
        `${JSON.stringify(wrong.replace('shop.example,', '').replace(/^( |,)$/, ''))} is none`,
      );
    }
    expect(await listed('21')).to.have.length(before);
    await on.session(`
      $ CAMPAIGN_MIRROR_KEY=${next} mirror set ${campaign} https://shop.example/by-hand
      The mirror of campaign ${campaign} is set.
      $ CAMPAIGN_MIRROR_KEY=${next} mirror set ${campaign} https://evil.example/
      ! the target URL is refused: it must not point to this host, which is not, as it is written, among those of the key
      $ mirror set ${campaign} https://evil.example/ --as-operator
      The mirror of campaign ${campaign} is set.`);
  });

  it('a key that is revoked, or rotated without grace, is refused by the service at the next call', async () => {
    const { id: campaign } = await on.object('campaign create --owner 12');
    await on.run(`mirror create ${campaign} --target-url https://example.com/`);
    const { base, process } = await service();
    const status = async (key: string) =>
      (await call({ campaign, key, address: 'https://example.com/new', base })).status;
    const zero = await issued('12');
    const one = await json('rotate', `${zero.id}`);
    for (const { key } of [zero, one]) expect(await status(key)).to.equal(200);
    const two = await json('rotate', String(one.id), '--grace', '0s');
    expect([await status(one.key), await status(two.key)]).to.deep.equal([401, 200]);
    await run('revoke', String(two.id));
    expect(await status(two.key)).to.equal(401);

    await process.stop();
    for (const { id, last_used_at } of await listed('12'))
      expect(last_used_at, `key ${id}, also what was used in the last moment`).not.to.equal(null);
  });
});
