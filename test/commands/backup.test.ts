import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { command, fedCommand, refused, startCommand } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';

const tables = ['campaigns', 'mirrors', 'access_keys', 'mirror_history', 'operator_audit'];

/** Every row there is, as text. */
async function everything({ admin }: TestDatabase): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of tables) {
    const { rows } = await admin.query(`select t::text as row from campaign_mirror.${table} t order by 1`);
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

/** One of each that there is, with what is hard to keep. */
async function fill({ admin }: TestDatabase): Promise<void> {
  await admin.query(`
    insert into campaign_mirror.campaigns (id, owner_id, is_default, name, created_at) values
      (5, 7, true, E'tab\\t "quoted" \\\\N \u{1f389}', '0001-01-01T00:00:00.000001Z'), (6, 7, false, null, now())`);
  await admin.query(`
    insert into campaign_mirror.mirrors (id, campaign_id, target_url, clicks, updated_externally, updated_externally_at)
    values (9, 5, 'https://b\u00fccher.example/{id}?\\.', 9007199254740991, true, '2026-11-20T15:36:00.123456Z')`);
  await admin.query(`
    insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, expires_at)
    values (sha256('one'), 'cm_0123456', 'one', 7, 'infinity')`);
  await admin.query(`
    insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after, changed_at,
        request_id)
    values (5, 9, 'key', 1, null, 7, 'a', 'b', now(), 'r1'), (4, 2, 'operator', null, null, 7, '\\.', '', now(), 'r2'),
      (5, 9, 'jwt', null, '\\N "client" \u{1f389}', 7, 'b', 'c', now(), 'r4')`);
  await admin.query(`
    insert into campaign_mirror.operator_audit (act, operator, request_id, details)
    values ('campaign-created', 'somebody', 'r3', '{"name": "a\\nb"}')`);
  // Of a campaign that is deleted by now, whose history must never become another's.
  await admin.query("select setval('campaign_mirror.campaigns_id_seq', 20)");
}

describe('backup and restore', () => {
  const folder = folderOf('suite');
  const source = databaseOf('suite');
  const target = databaseOf('test');
  const { at } = folder;
  before(async () => {
    await fill(source);
    const { code, output, errors } = await commandsOn(source).run('backup', at('good'));
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output).to.equal(`8 rows were written to ${at('good')}.\n`);
  });
  const restore = (name: string) => commandsOn(target).run('restore', at(name));

  it('everything is there again, the numbers go on, and the audit has it', async () => {
    // However the sessions of either database write their values.
    await target.admin.query(`alter database ${target.name} set timezone = 'America/St_Johns'`);
    await target.admin.query(`alter database ${target.name} set datestyle = 'SQL, DMY'`);
    await target.admin.query(`alter database ${target.name} set bytea_output = 'escape'`);
    const rows = { campaigns: 2, mirrors: 1, access_keys: 1, mirror_history: 3, operator_audit: 1 };
    expect(await commandsOn(target).object('restore', at('good'))).to.deep.equal(rows);
    const [was, is] = [await everything(source), await everything(target)];
    const audit = await commandsOn(target).objects('audit');
    expect(audit.map(({ id, act }) => ({ id, act }))).to.deep.equal([
      { id: 2, act: 'backup-restored' },
      { id: 1, act: 'campaign-created' },
    ]);
    expect(audit[0]).to.have.nested.property('details.source', 'good');
    expect({ ...is, operator_audit: is.operator_audit?.slice(0, 1) }).to.deep.equal(was);
    expect(await commandsOn(target).object('campaign', 'create', '--owner', '8')).to.include({ id: 21 });
  });

  it("is its owner's to read only, and never written over what is there", async () => {
    expect((await stat(at('good'))).mode & 0o777).to.equal(0o600);
    await writeFile(at('mine'), 'mine');
    const { code, errors } = await commandsOn(source).run('backup', at('mine'));
    expect({ code, errors }).to.deep.equal({
      code: 1,
      errors: `${at('mine')} is there already: name another file\n`,
    });
    expect(await readFile(at('mine'), 'utf8')).to.equal('mine');
    await rm(at('mine'));
    expect(await readdir(folder.path)).to.deep.equal(['good']);
  });

  const rows: Record<string, string> = {
    campaigns: 'insert into campaign_mirror.campaigns (owner_id) values (1)',
    access_keys:
      "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('x'), 'x', 'x', 1)",
    mirror_history: `insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
      values (1, 1, 'operator', 1, 'a', 'b', now(), 'r')`,
    operator_audit:
      "insert into campaign_mirror.operator_audit (act, operator, request_id) values ('key-revoked', 'x', 'x')",
  };
  for (const [table, row] of Object.entries(rows)) {
    it(`nothing is restored where there are rows in ${table}`, async () => {
      await target.admin.query(row);
      const before = await everything(target);
      const { code, output, errors } = await restore('good');
      expect({ code, output }).to.deep.equal({ code: 1, output: '' });
      expect(errors).to.equal(
        `the database is not empty (there are rows in ${table}): restore into a new one; ` +
          'where they are of the demonstration set, DEMO=off makes none\n',
      );
      expect(await everything(target)).to.deep.equal(before);
    });
  }

  describe('a file that', () => {
    const broken: Record<string, [spoil: (good: Buffer) => Buffer | string, why: RegExp]> = {
      'is cut off': [(good) => good.subarray(0, -9), /it is damaged/],
      'has another byte in it': [
        (good) => Buffer.from(good).fill(good[40] === 1 ? 2 : 1, 40, 41),
        /it is damaged/,
      ],
      'is no backup': [() => 'id,name\n1,x\n', /no backup of this program/],
      'is another packed file': [() => gzipSync('id,name\n1,x\n'), /no backup of this program/],
      'is JSON of another program': [() => gzipSync('{}\n'), /it is no backup of this program/],
      'is empty': [() => '', /it is damaged, or no backup of this program/],
      'was changed by hand': [repacked((text) => text.replace('\tr1', '\tr9')), /its checksum is another/],
      'lost its end': [repacked((text) => text.slice(0, text.lastIndexOf('{'))), /it ends too early/],
      'lost half of its rows': [repacked((text) => text.slice(0, text.indexOf('\\N'))), /it ends too early/],
      'has something behind its end': [repacked((text) => `${text}more`), /something behind its end/],
      'is of a newer format': [
        repacked((text) => text.replace('"version":1', '"version":2')),
        /from a newer version/,
      ],
      'is of a newer schema': [
        repacked((text) => text.replace('"0001-schema"', '"0001-schema","0002-x"')),
        /from a newer version/,
      ],
      'has a column that is not known here': [
        repacked((text) => text.replace('"is_default"', '"is_primary"')),
        /no columns is_primary of campaigns/,
      ],
      'breaks a rule of the table': [
        repacked((text) => text.replace('\n5\t7\t', '\n0\t7\t')),
        /a row does not fit its table/,
      ],
    };
    it('is cut off, or no backup at all, ends the command with one line and 1', async () => {
      for (const name of ['is cut off', 'is no backup']) {
        const [spoil, why] = broken[name] ?? [];
        await writeFile(at('bad'), spoil?.(await readFile(at('good'))) ?? '');
        const { code, output, errors } = await restore('bad');
        expect({ code, output }).to.deep.equal({ code: 1, output: '' });
        expect(errors)
          .to.match(/^bad cannot be restored: [^\n]*\n$/)
          .and.to.match(why as RegExp);
      }
      await rm(at('bad'));
    });

    it('is not whole, or not for this version, is refused with the reason, and nothing is restored', async () => {
      for (const [what, [spoil, why]] of Object.entries(broken)) {
        await writeFile(at('bad'), spoil(await readFile(at('good'))));
        const { code, errors } = await restore('bad');
        expect(code, what).to.equal(1);
        expect(errors, what).to.match(why);
        expect(Object.values(await everything(target)).flat(), what).to.deep.equal([]);
      }
      await rm(at('bad'));
    });

    it('is from an older version, without the columns that came later, gets what they have by default', async () => {
      const older = repacked((text) =>
        resealed(text.replace(',"replaced_by"]', ']').replace(/(\tone\t7\t.*)\t\\N\n/, '$1\n')),
      );
      await writeFile(at('older'), older(await readFile(at('good'))));
      const { code, errors } = await restore('older');
      await rm(at('older'));
      expect(code, errors).to.equal(0);
      expect((await everything(target)).access_keys).to.deep.equal((await everything(source)).access_keys);
    });
  });

  it('a role that may not, and the owner, who may', async () => {
    const asService = await command(['restore', at('good')], { DATABASE_URL: target.url('service') });
    expect(asService.errors).to.match(/^the user "campaign_mirror_service" of .* lacks a right/);
    const asOwner = await command(['restore', at('good')], { DATABASE_URL: target.url('owner') });
    expect(asOwner.code, asOwner.errors).to.equal(0);
  });

  it('a database in use is refused at once, and nobody waits', async () => {
    const holder = await rival(source);
    await holder.run('update campaign_mirror.campaigns set name = null');
    const { code, errors } = await commandsOn(source).run('restore', at('good'));
    await holder.rollback();
    expect(code, errors).to.equal(1);
    expect(errors).to.match(/^the database is not empty \(there are rows in campaigns\)/);
  });

  it('an empty one that somebody else goes on holding is not waited for without end', async () => {
    const holder = await rival(target);
    await holder.run('lock table campaign_mirror.mirrors in row exclusive mode');
    expect(await restore('good')).to.deep.equal(
      refused('the database is in use: nothing was restored; stop whatever writes to it and run it again\n'),
    );
    await holder.rollback();
  });

  it('numbers go on beyond very great ones', async () => {
    const great = repacked((text) =>
      resealed(text.replace('"campaigns":20', '"campaigns":9007199254740000')),
    );
    await writeFile(at('great'), great(await readFile(at('good'))));
    expect((await restore('great')).code).to.equal(0);
    await rm(at('great'));
    const { id } = await commandsOn(target).object('campaign', 'create', '--owner', '7');
    expect(id).to.equal(9007199254740001);
  });

  it('a backup is not written to standard output', async () => {
    expect(await commandsOn(source).run('backup', '-')).to.deep.equal(
      refused('a backup is not written to standard output: name a file\n', 2),
    );
  });

  it('of two at once, one restores, and the other finds the database filled', async () => {
    const holder = await rival(target);
    await holder.run('lock table campaign_mirror.campaigns in row exclusive mode');
    const both = Promise.all([restore('good'), restore('good')]);
    await untilWaiting(target, both, 2);
    await holder.commit();
    const codes = (await both).map(({ code }) => code);
    expect(codes).to.have.members([0, 1]);
    expect((await everything(target)).campaigns).to.have.length(2);
  });

  it('whoever writes meanwhile waits for its end, and gets numbers beyond', async () => {
    const running = fedCommand(['restore', '-'], commandsOn(target).settings);
    const good = await readFile(at('good'));
    running.stdin.write(good.subarray(0, 20));
    await eventually('a restore that keeps others out', async () => {
      const { rowCount } = await target.admin.query(
        "select from pg_locks where mode = 'ShareRowExclusiveLock' and granted and database = (select oid from pg_database where datname = current_database())",
      );
      expect(rowCount).to.equal(3);
    });
    const created = commandsOn(target).object('campaign', 'create', '--owner', '8');
    await untilWaiting(target, created);
    running.stdin.write(good.subarray(20));
    running.stdin.end();
    expect(await running.ended, running.errors).to.deep.equal({ code: 0, signal: null });
    expect(await created).to.include({ id: 21 });
  });

  describe('Ctrl-C', () => {
    it('during a restore: nothing is restored, and all of it the next time', async () => {
      const holder = await rival(target);
      // The rows of the tables before are written by then.
      await holder.run('lock table campaign_mirror.mirror_history in share mode');
      const running = startCommand(['restore', at('good')], commandsOn(target).settings);
      await untilWaiting(target, running.ended);
      expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
      expect(running).to.include({ output: '', errors: 'Stopped. Nothing was restored.\n' });
      await holder.rollback();
      expect(Object.values(await everything(target)).flat()).to.deep.equal([]);
      expect((await restore('good')).code).to.equal(0);
    });
  });
});

/** The same backup with its text changed. */
function repacked(change: (text: string) => string): (good: Buffer) => Buffer {
  return (good) => {
    const text = gunzipSync(good).toString();
    const changed = change(text);
    expect(changed).not.to.equal(text);
    return gzipSync(changed);
  };
}

/** With the checksum of what stands there now. */
function resealed(text: string): string {
  const end = text.lastIndexOf('{"sha256"');
  const sha256 = createHash('sha256').update(text.slice(0, end)).digest('hex');
  return text.slice(0, end) + text.slice(end).replace(/"sha256":"[^"]*"/, `"sha256":"${sha256}"`);
}
