import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { command, fedCommand, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';

/** One of each that there is, with what is hard to keep. */
const rows: Record<string, string> = {
  campaigns: `insert into campaign_mirror.campaigns (id, owner_id, is_default, name, created_at) values
    (5, 7, true, E'tab\\t "quoted" \\\\N \u{1f389}', '0001-01-01T00:00:00.000001Z'), (6, 7, false, null, now())`,
  mirrors: `insert into campaign_mirror.mirrors
      (id, campaign_id, target_url, clicks, updated_externally, updated_externally_at)
    values (9, 5, 'https://b\u00fccher.example/{id}?\\.', 9007199254740991, true, '2026-11-20T15:36:00.123456Z')`,
  access_keys: `insert into campaign_mirror.access_keys (hash, displayed, name, owner_id, expires_at)
    values (sha256('one'), 'cm_0123456', 'one', 7, 'infinity')`,
  mirror_history: `insert into campaign_mirror.mirror_history
      (campaign_id, mirror_id, actor, access_key_id, subject, owner_id, address_before, address_after, changed_at,
        request_id)
    values (5, 9, 'key', 1, null, 7, 'a', 'b', now(), 'r1'), (4, 2, 'operator', null, null, 7, '\\.', '', now(), 'r2'),
      (5, 9, 'jwt', null, '\\N "client" \u{1f389}', 7, 'b', 'c', now(), 'r4')`,
  operator_audit: `insert into campaign_mirror.operator_audit (act, operator, request_id, details)
    values ('campaign-created', 'somebody', 'r3', '{"name": "a\\nb"}')`,
};

/** Every row there is, as text. */
async function everything({ admin }: TestDatabase): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of Object.keys(rows)) {
    const { rows } = await admin.query(`select t::text as row from campaign_mirror.${table} t order by 1`);
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

describe('backup and restore', () => {
  const folder = folderOf('suite');
  const source = databaseOf('suite');
  const target = databaseOf('test');
  const { at } = folder;
  const on = commandsOn(target);
  const owner = commandsOn(target, 'owner');
  let good: Buffer;
  before(async () => {
    for (const row of Object.values(rows)) await source.admin.query(row);
    // Of a campaign that is deleted by now, whose history must never become another's.
    await source.admin.query("select setval('campaign_mirror.campaigns_id_seq', 20)");
    const { code, output, errors } = await commandsOn(source).run('backup', at('good'));
    expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
    expect(output).to.equal(`8 rows were written to ${at('good')}.\n`);
    good = await readFile(at('good'));
  });
  const restore = () => owner.run('restore', at('good'));
  const restored = (bytes: Buffer | string) => command(['restore', '-'], owner.settings, bytes);
  const isEmpty = async () => Object.values(await everything(target)).flat().length === 0;
  const created = async (): Promise<number> => (await on.object('campaign', 'create', '--owner', '8')).id;

  const keepsOthersOut = () =>
    eventually('a restore that keeps others out', async () => {
      const { rowCount } = await target.admin.query(
        `select from pg_locks where mode = 'ShareRowExclusiveLock' and granted
          and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rowCount).to.equal(5);
    });

  it('everything is there again, the numbers go on, and the audit has it', async () => {
    // However the sessions of either database write their values.
    for (const how of ["timezone = 'America/St_Johns'", "datestyle = 'SQL, DMY'", "bytea_output = 'escape'"])
      await target.admin.query(`alter database ${target.name} set ${how}`);
    const counts = { campaigns: 2, mirrors: 1, access_keys: 1, mirror_history: 3, operator_audit: 1 };
    expect(await owner.object('restore', at('good'))).to.deep.equal(counts);
    const [was, is] = [await everything(source), await everything(target)];
    expect({ ...is, operator_audit: is.operator_audit?.slice(0, 1) }).to.deep.equal(was);
    const [{ id, act, details }, first] = await on.objects('audit');
    expect([id, act, details.source]).to.deep.equal([2, 'backup-restored', 'good']);
    expect(first).to.include({ id: 1, act: 'campaign-created' });
    expect(await created()).to.equal(21);
  });

  it('only the owner of the schema restores, who alone may write the history as it was', async () => {
    expect(await on.run('restore', at('good'))).to.deep.equal(
      refused('a backup is restored by the owner of the schema: use the user that runs `migrate`\n'),
    );
    expect(await isEmpty()).to.equal(true);
  });

  it('nothing is restored where there are rows, and nobody is waited for', async () => {
    await target.admin.query(rows.mirror_history ?? '');
    const before = await everything(target);
    const holder = await rival(target, 'lock table campaign_mirror.campaigns in row exclusive mode');
    expect(await restore()).to.deep.equal(
      refused(
        'the database is not empty (there are rows in mirror_history): restore into a new one; ' +
          'where they are of the demonstration set, DEMO=off makes none\n',
      ),
    );
    await holder.rollback();
    expect(await everything(target)).to.deep.equal(before);
  });

  it('a file that is not whole, or not for this version, is refused with the reason, and nothing is restored', async () => {
    const flipped = Buffer.from(good).fill(good[40] === 1 ? 2 : 1, 40, 41);
    const with2 = '"0001-mirrors-with-facts","0002-x"';
    const damaged = 'it is damaged, or not a backup of this program';
    const newer = 'it is from a newer version of this program: restore it with that version';
    const broken: [why: string, bytes: Buffer | string][] = [
      [damaged, good.subarray(0, -9)],
      [damaged, flipped],
      [damaged, 'id,name\n1,x\n'],
      [damaged, gzipSync('{}\n')],
      [damaged, repacked((text) => text.replace('\tr1', '\tr9'))],
      [damaged, repacked((text) => text.slice(0, text.lastIndexOf('{')))],
      [damaged, repacked((text) => `${text}more`)],
      [damaged, repacked((text) => text.replace('\n5\t7\t', '\n0\t7\t'))],
      [damaged, repacked((text) => text.replace('"is_default"', '"is_primary"'))],
      [newer, repacked((text) => text.replace('"version":2', '"version":3'))],
      [newer, repacked((text) => text.replace('"0001-mirrors-with-facts"', with2))],
    ];
    for (const [why, bytes] of broken) {
      expect(await restored(bytes)).to.deep.equal(refused(`standard input cannot be restored: ${why}\n`));
      expect(await isEmpty(), why).to.equal(true);
    }
  });

  it('a file of an older version, without the columns that came later, gets what they have by default', async () => {
    const older = repacked((text) => {
      const great = text.replace('"campaigns":20', '"campaigns":9007199254740000');
      const less = great.replace(',"replaced_by"]', ']').replace(/(\tone\t7\t.*)\t\\N\n/, '$1\n');
      const body = less.slice(0, less.lastIndexOf('{"sha256"'));
      return `${body}{"sha256":"${createHash('sha256').update(body).digest('hex')}"}\n`;
    });
    expect((await restored(older)).code).to.equal(0);
    expect((await everything(target)).access_keys).to.deep.equal((await everything(source)).access_keys);
    expect(await created(), 'numbers go on beyond very great ones').to.equal(9007199254740001);
  });

  it('one of the format before is restored with its links: histories go on, and a move is undone', async () => {
    // Made by that version: campaign 2 is deleted, 3 and 1 were set after move 12, which had waited for 5.
    const file = join(import.meta.dirname, 'version-1.backup');
    const restored = await owner.run('restore', file);
    expect(restored.output, restored.errors).to.equal(
      'Restored: 4 campaigns, 4 mirrors, 2 keys, 8 changes.\n',
    );
    const changes = async (campaign: number) =>
      (await on.objects(`mirror history ${campaign}`)).map(({ id, subject }) => `${id} ${subject}`);
    expect(await changes(1)).to.deep.equal(['8 operator', '3 operator', '1 key:1']);
    expect(await changes(2), 'of a deleted campaign').to.deep.equal(['4 operator', '2 key:1']);
    const [, , move] = (await on.objects('audit')).filter(({ act }) => act.startsWith('mirror')).slice(0, 3);
    expect(move).to.deep.include({ id: 12, act: 'mirrors-moved' });
    expect(move.details).to.include({ from: 'old.example', mirrors: 4 });
    const { output } = await on.run('mirror move --undo 12 --yes');
    expect(output).to.match(/^1 mirror was moved back as before move 12\./m);
    expect((await on.object('mirror show 5')).mirror).to.include({ target_url: 'https://old.example/5' });
    expect(await changes(5)).to.deep.equal(['9 operator', '6 operator']);
  });

  it('a backup is of one moment, whatever is written while it is taken', async () => {
    const locked = 'lock table campaign_mirror.mirrors in access exclusive mode';
    const { other, running } = await on.held(locked, 'backup', at('empty'));
    await other.run(rows.operator_audit ?? '');
    await other.commit();
    await running.ended;
    await rm(at('empty'));
    expect(running.output).to.equal(`0 rows were written to ${at('empty')}.\n`);
  });

  it('one that somebody else goes on holding is not waited for without end', async () => {
    const holder = await rival(target, 'lock table campaign_mirror.mirrors in row exclusive mode');
    expect(await restore()).to.deep.equal(
      refused('the database is in use: nothing was restored; stop whatever writes to it and run it again\n'),
    );
    await holder.rollback();
  });

  it('whoever writes meanwhile waits for its end, and gets numbers beyond', async () => {
    const running = fedCommand(['restore', '-'], owner.settings);
    running.stdin.write(good.subarray(0, 20));
    await keepsOthersOut();
    const creating = created();
    await untilWaiting(target, creating);
    running.stdin.end(good.subarray(20));
    expect(await running.ended, running.errors).to.deep.equal({ code: 0, signal: null });
    expect(await creating).to.equal(21);
  });

  it('Ctrl-C: nothing is restored, and all of it the next time', async () => {
    const running = fedCommand(['restore', '-'], owner.settings);
    running.stdin.write(good.subarray(0, -20));
    await keepsOthersOut();
    expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
    expect(running).to.include({ output: '', errors: 'Stopped. Nothing was restored.\n' });
    expect(await isEmpty()).to.equal(true);
    const again = await restore();
    expect(again.code, again.errors).to.equal(0);
  });

  /** The same backup with its text changed. */
  function repacked(change: (text: string) => string): Buffer {
    const text = gunzipSync(good).toString();
    const changed = change(text);
    expect(changed).not.to.equal(text);
    return gzipSync(changed);
  }
});
