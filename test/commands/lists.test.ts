import { type Host, host, isOnHost } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf } from '../support/process/lives.ts';

/** Several pages of a query. */
const many = 2_000;

describe('campaign list, mirror list, campaign show: an operator reads every campaign and mirror', () => {
  const database = databaseOf('suite');
  const on = commandsOn(database);
  const sql = (text: string, values: unknown[] = []) => database.admin.query(text, values);
  before(async () => {
    // Four owners in turn; every second campaign has a mirror.
    await sql(
      `insert into campaign_mirror.campaigns (id, owner_id, name)
       select id, 1 + id % 4, 'Campaign ' || id from generate_series(1, ${many}) id`,
    );
    await sql(
      `insert into campaign_mirror.mirrors (campaign_id, target_url, clicks)
       select id, 'https://example.com/' || id, id from generate_series(${many}, 2, -2) id`,
    );
    await sql("update campaign_mirror.campaigns set name = 'é😀.(\\dss' where id = 7");
    await sql('analyze');
  });

  const ids = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  const listed = async (words: string) =>
    (await on.objects(words)).map(({ id, campaign_id }) => campaign_id ?? id);

  it('a list has every row once and in order, over several pages', async () => {
    expect(await listed('campaign list')).to.deep.equal(ids(1, many));
    expect(await listed('mirror list')).to.deep.equal(ids(2, many, 2));
  });

  it('--owner, --name, --host, --after and --limit select rows', async () => {
    const lists: [words: string, expected: number[]][] = [
      ['campaign list --limit 501 --after 499', ids(500, 1_000)],
      ['campaign list --owner 2 --after 9 --limit 3', [13, 17, 21]],
      ['campaign list --name PAIGN%20', []],
      ['campaign list --name "É😀.(\\DSS"', [7]],
      ['campaign list --name "paign 100" --owner 1', [100, 1_000, 1_004, 1_008]],
      [`campaign list --after ${many}`, []],
      ['mirror list --host Example.COM --owner 3', ids(2, many, 4)],
    ];
    for (const [words, expected] of lists) expect(await listed(words), words).to.deep.equal(expected);
  });

  it('--host finds every spelling of the host', async () => {
    const texts = [
      'old.example OLD.example old.example. old.example.. o%6cd.example old%2Eexample old。example ｏｌｄ．ｅｘａｍｐｌｅ',
      'ol\u00add.example a.old.example bold.example old.example.com old o_ld.example 5.old.example old.example.5',
      'bücher.example BÜCHER.example xn--bcher-kva.example XN--Bcher-KVA.example b%c3%bccher.example x.bücher.example',
      'bu\u0308cher.example 192.0.2.1 192.0.2.1. 192.0.2.01 0xc0000201 3221225985 0300.0.2.1 192.0.513 192.0.2.10',
      '[::ffff:192.0.2.1] [::FFFF:c000:201] [64:ff9b::c000:201] [0:0:0:0:0:ffff:c000:0201] １９２.0.2.1 192。0。2。1',
      '1.192.0.2.1 [2001:db8::1] [2001:DB8:0:0::1]',
    ].flatMap((some) => some.split(' '));
    const ways =
      'https://*/ http://* HTTPS://*:8443?u=https://x.example https://*:80/old http://*#b https://*?a/b';
    const urls = texts.flatMap((text) => ways.split(' ').map((way) => way.replace('*', text)));
    await sql(
      `update campaign_mirror.mirrors
       set target_url = coalesce(($1::text[])[campaign_id / 2], 'https://elsewhere.example/')`,
      [urls],
    );
    for (const text of ['old.example', 'bücher.example', '192.0.2.1', '[2001:db8::1]']) {
      const wanted = host(text) as Host;
      for (const subdomains of [false, true]) {
        const on = urls.flatMap((url, at) => (isOnHost(url, [wanted.name], subdomains) ? [2 * at + 2] : []));
        expect(on.length, text).to.be.greaterThan(0);
        const words = `mirror list --host ${text}${subdomains ? ' --subdomains' : ''}`;
        expect(await listed(words), words).to.deep.equal(on);
      }
    }
  });
});
