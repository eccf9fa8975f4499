import { roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import {
  command,
  commandProcess,
  refused,
  startCommand,
  startCommandProcess,
} from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';

/** One of each that there is, with what is hard to keep. */
const rows = [
  `insert into campaign_mirror.campaigns (id, owner_id, is_default, name, created_at) values
    (5, 7, true, E'tab\\t "quoted" \\\\N \u{1f389}', '0001-01-01T00:00:00.000001Z'), (6, 7, false, null, now())`,
  `insert into campaign_mirror.mirrors
      (id, campaign_id, target_url, clicks, updated_externally, updated_externally_at)
    values (9, 5, 'https://b\u00fccher.example/{id}?\\.', 9007199254740991, true, '2026-11-20T15:36:00.123456Z')`,
  `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, expires_at)
    values (sha256('one'), 'cm_0123456', 'one', 7, 'infinity')`,
  'insert into campaign_mirror.key_uses (access_key_id, used_at) values (1, now())',
  // Of a server that has counted further than the next one.
  `insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after, changed_at,
        request_id, transaction_id)
    values (5, 9, 'key', 1, null, 7, 'a', 'b', now(), 'r1', '4000000000000'),
      (4, 2, 'operator', null, null, 7, '\\.', '', now(), 'r2', '4000000000000'),
      (5, 9, 'jwt', null, '\\N "client" \u{1f389}', 7, 'b', 'c', now(), 'r4', '4000000000000')`,
  `insert into campaign_mirror.operator_audit (act, operator, request_id, details, campaign_id, last_change_id)
    values ('campaign-deleted', 'somebody', 'r3', '{"name": "a\\nb"}', 5, 1)`,
  // Of a campaign that is deleted by now, whose number must never be another's.
  "select setval('campaign_mirror.campaigns_id_seq', 20), setval('campaign_mirror.access_keys_id_seq', 9007199254740991)",
  "select campaign_mirror.deny_hosts('{a.example}')",
];

/** Every row of every table but the numbers of transactions, every sequence, and the triggers that are off. */
async function everything({ admin }: TestDatabase): Promise<Record<string, unknown>> {
  const { rows: objects } = await admin.query(
    `select relname::text as name, relkind as kind from pg_class
    where relnamespace = 'campaign_mirror'::regnamespace and relkind in ('r', 'S')
      and relname not in ('migrations', 'migrations_id_seq') order by 1`,
  );
  const found: Record<string, unknown> = {};
  for (const { name, kind } of objects) {
    const what = kind === 'S' ? '(last_value, is_called)::text' : "(to_jsonb(t) - 'transaction_id')::text";
    const { rows } = await admin.query(`select ${what} as row from campaign_mirror.${name} t order by 1`);
    found[name] = rows.map(({ row }) => row);
  }
  const { rows } = await admin.query("select tgname from pg_trigger where tgenabled <> 'O'");
  return { ...found, off: rows };
}

describe('copy', () => {
  const source = databaseOf('suite');
  const target = databaseOf('test');
  const on = commandsOn(target);
  before(async () => {
    for (const text of rows) await source.admin.query(text);
  });
  const settings = () => ({
    DATABASE_URL: target.url('owner'),
    SOURCE_DATABASE_URL: source.url('operator'),
  });
  const copy = (changed = {}) => command(['copy'], { ...settings(), ...changed });
  const created = async (): Promise<number> => (await on.object('campaign', 'create', '--owner', '8')).id;

  /** The command in its middle: keys, campaigns and changes are copied. */
  async function inItsMiddle(start: typeof startCommand | typeof startCommandProcess) {
    const other = await rival(source, 'alter sequence campaign_mirror.mirror_history_id_seq rename to held');
    const running = start(['copy'], settings());
    await untilWaiting(source, running.ended);
    return { other, running };
  }
  const copied =
    /^Copied rows: 2 of campaigns, 1 of mirrors, 1 of access_keys, 3 of mirror_history, 4 of operator_audit, 1 of key_uses, 1 of denied_hosts\.\n$/;

  it('everything is there as it was, numbers go on, and what happens from then on is recorded again', async () => {
    // However the sessions of either database write their values.
    for (const how of ["timezone = 'America/St_Johns'", "datestyle = 'SQL, DMY'", "bytea_output = 'escape'"])
      for (const one of [source, target]) await target.admin.query(`alter database ${one.name} set ${how}`);
    const { code, output, errors } = await command(['copy', '--json'], settings());
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(objectsOf(output)[0]).to.include({ access_keys: 1, campaigns: 2, mirrors: 1 });
    expect(objectsOf(output)[0]).to.include({ mirror_history: 3, operator_audit: 4 });
    expect(await everything(target)).to.deep.equal(await everything(source));
    const { rows: ahead } = await target.admin.query(
      'select from campaign_mirror.mirror_history where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())',
    );
    expect(ahead, 'in the order of another server').to.deep.equal([]);
    expect(await created()).to.equal(21);
    const [{ act }, first] = await on.objects('audit');
    expect([act, first.act]).to.deep.equal(['campaign-created', 'campaign-deleted']);
  });

  it('a target that has given numbers goes on beyond its own', async () => {
    await target.admin.query("select setval('campaign_mirror.campaigns_id_seq', 1000000)");
    await target.admin.query("select campaign_mirror.deny_hosts('{a.example,b.example}')");
    expect((await copy()).output).to.match(copied);
    expect(await created()).to.equal(1_000_001);
  });

  describe('is refused, and nothing is done', () => {
    let before: unknown;
    beforeEach(async () => {
      before = await everything(target);
    });
    const notEmpty =
      'the database is not empty (there are rows in campaigns): copy into a new one; where they are of the demonstration set, DEMO=off makes none';
    const refuses = async (errors: string, changed = {}) => {
      expect(await copy(changed)).to.deep.equal(refused(`${errors}\n`));
      expect(await everything(target)).to.deep.equal(before);
    };

    it('to anybody but the owner', () =>
      refuses('only the owner of the schema copies into it: use the user that runs `migrate`', {
        DATABASE_URL: target.url('operator'),
      }));

    it('where there are rows, and nobody is waited for', async () => {
      await target.admin.query(rows[4] ?? '');
      before = await everything(target);
      const holder = await rival(target, 'lock table campaign_mirror.campaigns in row exclusive mode');
      await refuses(notEmpty.replace('campaigns', 'mirror_history')).finally(holder.rollback);
    });

    it('where somebody else holds what it needs', async () => {
      const holder = await rival(target, 'lock table campaign_mirror.mirrors in row exclusive mode');
      const { code, output, errors } = await copy().finally(holder.rollback);
      expect({ code, output }).to.deep.equal({ code: 3, output: '' });
      expect(errors).to.match(/^process \d+ .* holds what this is about, .*: nothing was done; repeat it\n$/);
      expect(await everything(target)).to.deep.equal(before);
    });

    it('where somebody else is first', async () => {
      const other = await rival(target, rows[0] ?? '');
      const running = startCommand(['copy'], settings());
      await untilWaiting(target, running.ended, 1, [roles.owner]);
      await other.commit();
      expect((await running.ended).code).to.equal(1);
      expect(running.errors).to.match(/^the database is not empty \(there are rows in campaigns\): /);
    });

    it('from the database itself, by whatever name', () =>
      refuses(notEmpty, {
        DATABASE_URL: source.url('owner'),
        SOURCE_DATABASE_URL: source.url('operator').replace('127.0.0.1', 'localhost'),
      }));

    it('from a schema of another version, or none', async () => {
      const of = (await migrationsOf(source)).join(', ');
      await source.admin.query("insert into campaign_mirror.migrations (name) values ('9999-newer')");
      try {
        await refuses(
          `the source has the schema ${of}, 9999-newer, and this database ${of}: run \`migrate\` of one version of the program on both`,
        );
      } finally {
        await source.admin.query("delete from campaign_mirror.migrations where name = '9999-newer'");
      }
      const empty = await emptyDatabase('owner');
      const { errors } = await copy({ SOURCE_DATABASE_URL: empty.url('owner') });
      await empty.drop();
      expect(errors).to.match(
        new RegExp(`^the database \\S+/${empty.name}, user "\\w+": .* is not set up for this version`),
      );
    });

    it('from one that is away, or lets nobody read: it is named, and no password is shown', async () => {
      const away = await copy({
        SOURCE_DATABASE_URL: 'postgres://a:geheim@127.0.0.1:9/b',
        DATABASE_WAIT: '0s',
      });
      expect(away).to.include({ code: 3, output: '' });
      expect(away.errors).to.match(/^the database 127\.0\.0\.1:9\/b cannot be reached \(ECONNREFUSED\)/);
      const may = await copy({ SOURCE_DATABASE_URL: source.url('redirector') });
      expect(may).to.include({ code: 1, output: '' });
      expect(may.errors).to.match(
        new RegExp(`^the database \\S+/${source.name}, user "${roles.redirector}": permission denied `),
      );
      const wrong = await copy({ SOURCE_DATABASE_URL: 'postgres://a:geheim@one,two/b' });
      expect(wrong.errors).to.match(/^SOURCE_DATABASE_URL must be a URL such as /);
      const words = await command(['copy', '--from', 'postgres://a:geheim@127.0.0.1/b'], settings());
      expect(words).to.include({ code: 2, output: '' });
      expect(words.errors).to.match(/^--from takes a folder: name a server by SOURCE_DATABASE_URL/);
      for (const { errors } of [away, wrong, words]) expect(errors).not.to.include('geheim');
    });
  });

  it('whoever writes meanwhile waits for its end, and gets numbers beyond; readers do not wait', async () => {
    const { other, running } = await inItsMiddle(startCommand);
    const creating = created();
    await untilWaiting(target, creating);
    expect(await on.objects('campaign', 'list')).to.deep.equal([]);
    await other.rollback();
    expect((await running.ended).code, running.errors).to.equal(0);
    expect(running.output).to.match(copied);
    expect(await creating).to.equal(21);
  });

  it('what ends in its middle leaves nothing: Ctrl-C, a loss of the source, a kill; then it is done', async () => {
    const before = await everything(target);
    const stopped = await inItsMiddle(startCommand);
    expect(await stopped.running.stop('SIGINT')).to.deep.equal({ code: 130, signal: null });
    expect(stopped.running).to.include({ output: '', errors: 'Stopped. Nothing was copied.\n' });
    await stopped.other.rollback();

    const lost = await inItsMiddle(startCommand);
    await source.admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'campaign-mirror operator'",
    );
    expect((await lost.running.ended).code).to.equal(3);
    expect(lost.running.errors).to.match(
      new RegExp(
        `^the database \\S+/${source.name} became unavailable \\(57P01\\): nothing was copied; run it again\n$`,
      ),
    );
    await lost.other.rollback();

    const killed = await inItsMiddle(startCommandProcess);
    if ('child' in killed.running) killed.running.child.kill('SIGKILL');
    await killed.running.ended;
    await killed.other.rollback();
    await eventually('its session to end', async () => {
      const { rowCount } = await target.admin.query(
        "select from pg_stat_activity where datname = current_database() and application_name = 'campaign-mirror operator'",
      );
      expect(rowCount).to.equal(0);
    });
    expect(await everything(target)).to.deep.equal(before);
    expect((await commandProcess(['copy'], settings())).output).to.match(copied);
  });
});

async function migrationsOf({ admin }: TestDatabase): Promise<string[]> {
  const { rows } = await admin.query('select name from campaign_mirror.migrations order by name');
  return rows.map(({ name }) => name);
}
