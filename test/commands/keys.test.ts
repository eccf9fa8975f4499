import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { piped } from '../support/commands/pipe.ts';
import { call } from '../support/http/caller.ts';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService, projectFolder, start } from '../support/process/service-process.ts';

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe('commands for keys', () => {
  const database = databaseOf('suite');
  const settings = () => ({ DATABASE_URL: database.url('operator') });
  const json = (...args: string[]) => commandsOn(database).objects('key', ...args);
  const run = (...args: string[]) => command(['key', ...args], settings());
  it('list: a table for people, by pages, and one object a line for programs', async () => {
    expect(await run('list')).to.deep.equal({ code: 0, output: '', errors: 'There is no access key.\n' });
    const [one] = await json('issue', '--owner', '7', '--name', 'sc\u202eript', '--expires-in', '90d');
    const [two] = await json('issue', '--owner', '8', '--name', 'another', '--no-expiry');
    const [record, ...more] = await json('list', '--owner', '7');
    expect(more).to.deep.equal([]);
    expect(record).to.have.all.keys(
      ...['id', 'displayed', 'name', 'owner_id', 'created_at', 'expires_at', 'last_used_at'],
      ...['revoked_at', 'replaced_by'],
    );
    expect(record).to.include({
      id: one.id,
      name: 'sc\u202eript',
      owner_id: 7,
      displayed: one.key.slice(0, 10),
    });
    expect(record).to.include({ last_used_at: null, revoked_at: null, replaced_by: null });
    expect(record.created_at).to.match(stamp);
    expect(record.expires_at).to.match(stamp);
    expect(await json('list', '--after', String(one.id), '--limit', '1')).to.have.nested.property(
      '[0].id',
      two.id,
    );

    const { output, errors } = await run('list');
    expect(errors).to.equal('');
    const [head, first, second] = output.split('\n');
    expect(head).to.match(/^key +begins +owner +created +last used +expires +revoked +replaced by +name$/);
    expect(first, 'what would mislead a reader is shown').to.match(
      new RegExp(` ${one.id}  ${one.key.slice(0, 10)} +7 .* sc\\\\u\\{202e\\}ript$`),
    );
    expect(second).to.match(/ never .* another$/);
    expect(output).not.to.include(one.key.slice(0, 11));
  });

  it('issue: a key lives for a year, as long as is said, or for ever', async () => {
    const year = 365 * 86_400;
    const cases: [told: string, life: number | undefined, ...args: string[]][] = [
      [' It expires in 365 days.', year],
      ['', 12 * 3_600, '--expires-in', '12h'],
      [' It never expires.', undefined, '--no-expiry'],
    ];
    for (const [told, life, ...args] of cases) {
      const { output, errors } = await run('issue', '--owner', '14', '--name', 'lives', ...args);
      const [record] = (await json('list', '--owner', '14')).reverse();
      expect(errors).to.equal(`Key ${record.id} of the owner 14.${told} It cannot be shown again:\n`);
      expect(output.slice(0, 10)).to.equal(record.displayed);
      if (life === undefined) expect(record.expires_at).to.equal(null);
      else {
        const seconds = (Date.parse(record.expires_at) - Date.parse(record.created_at)) / 1_000;
        expect(seconds).to.be.within(life - 1, life + 1);
      }
    }
    const both = await run('issue', '--owner', '14', '--name', 'both', '--expires-in', '12h', '--no-expiry');
    expect(both).to.include({ code: 2, output: '' });
    expect(await json('list', '--owner', '14')).to.have.length(cases.length);
  });

  it('rotate: the new key alone on standard output, the old one for a day or as long as is said', async () => {
    const [old] = await json('issue', '--owner', '9', '--name', 'mine');
    const { output, errors } = await run('rotate', String(old.id));
    expect(output).to.match(/^cm_[0-9A-Za-z]{49}\n$/);
    const [, id = '', end = ''] =
      /^Key (\d+) of the owner 9 replaces key \d+, which ends at (\S+)\. It cannot be shown again:\n$/.exec(
        errors,
      ) ?? [];
    expect((Date.parse(end) - Date.now()) / 3_600_000, 'a day').to.be.within(23, 25);
    const [next] = await json('rotate', id, '--grace', '0s');
    expect(next)
      .to.include({ replaces: Number(id) })
      .and.to.have.all.keys('id', 'key', 'replaces', 'replaced_expires_at');
    const records = await json('list', '--owner', '9');
    expect(records.map((one) => one.replaced_by)).to.deep.equal([Number(id), next.id, null]);
    expect(records[1]?.expires_at).to.equal(next.replaced_expires_at);

    const { rows } = await database.admin.query(
      "select access_key_id::int as old, details from campaign_mirror.operator_audit where act = 'key-rotated' order by id",
    );
    expect(rows).to.deep.equal([
      { old: old.id, details: { replaced_by: Number(id), grace: 86_400 } },
      { old: Number(id), details: { replaced_by: next.id, grace: 0 } },
    ]);
  });

  it('rotate: what cannot be rotated is refused in one line that says what to do', async () => {
    const [old] = await json('issue', '--owner', '10', '--name', 'refused');
    const refusal = async (id: number) => {
      const { code, output, errors } = await run('rotate', String(id));
      expect({ code, output }).to.deep.equal({ code: 1, output: '' });
      return errors;
    };
    expect(await refusal(999_999)).to.equal('there is no key 999999\n');
    const [next] = await json('rotate', String(old.id));
    expect(await refusal(old.id)).to.match(
      new RegExp(`^key ${old.id} was replaced by key ${next.id} already: rotate that one`),
    );
    await run('revoke', String(next.id));
    expect(await refusal(next.id)).to.match(new RegExp(`^key ${next.id} is revoked: issue another with`));
  });

  it('a grace that is none: exit code 2', async () => {
    for (const grace of ['never', '24', '-1h']) {
      const { code, errors } = await run('rotate', '1', `--grace=${grace}`);
      expect({ grace, code }).to.deep.equal({ grace, code: 2 });
      expect(errors).to.include('A time such as 0s, 30m, 24h or 7d');
    }
  });

  for (const args of [
    ['issue', '--owner', '11', '--name', 'unseen'],
    ['issue', '--owner', '11', '--name', 'x', '--json'],
  ]) {
    it(`key ${args.join(' ')}: where nobody could take the key, it says which one to revoke`, async () => {
      const { code, errors } = await piped(['key', ...args], 'true', settings());
      const [{ id } = { id: 0 }] = (await json('list', '--owner', '11')).reverse();
      expect(code).to.equal(1);
      expect(errors).to.include(`key ${id} was issued, but standard output did not take it`);
      expect(errors).to.include(`revoke it by \`./campaign-mirror key revoke ${id}\``);
      expect(errors).not.to.match(/cm_/);
    });
  }

  it('where standard output is closed, no key is issued', async () => {
    const words = ['-c', '"$@" >&-', 'sh', `${projectFolder}campaign-mirror`, 'key', 'issue'];
    const issuing = start('sh', [...words, '--owner', '13', '--name', 'lost'], settings());
    expect((await issuing.ended).code).to.equal(2);
    expect(issuing.errors).to.equal('campaign-mirror: standard output is closed: nothing was done\n');
    expect((await run('list', '--owner', '13', '--json')).output).to.equal('');
  });

  it('a key that is revoked, or rotated without grace, is refused by every service at the next call', async () => {
    const service = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    const services = await Promise.all([listeningService(service), listeningService(service)]);
    const answers = (key: string) =>
      Promise.all(
        services.map(async ({ base }) => (await call({ base, campaign: 999_999, key, address: 'x' })).status),
      );
    const [one] = await json('issue', '--owner', '12', '--name', 'in use');
    expect(await answers(one.key)).to.deep.equal([404, 404]);
    const [two] = await json('rotate', String(one.id), '--grace', '0s');
    expect(await answers(one.key)).to.deep.equal([401, 401]);
    expect(await answers(two.key)).to.deep.equal([404, 404]);
    await run('revoke', String(two.id));
    expect(await answers(two.key)).to.deep.equal([401, 401]);

    const [three] = await json('issue', '--owner', '12', '--name', 'last');
    expect(await answers(three.key)).to.deep.equal([404, 404]);
    const ends = await Promise.all(services.map(({ process }) => process.stop()));
    expect(ends.map(({ code }) => code)).to.deep.equal([0, 0]);
    const records = await json('list', '--owner', '12');
    expect(records, 'also what was used in the last moment').to.have.length(3);
    for (const { id, last_used_at } of records) expect(last_used_at, `key ${id}`).to.match(stamp);
  });
});
