import { defaultPoolLimits, openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { groupedOf } from '../support/process/lives.ts';

/** What may end, begin or be mistaken in an array, a row or a literal of PostgreSQL. */
const texts = [
  ...['https://example.com/"quoted"', `https://example.com/'it''s'`, 'https://example.com/back\\slash\\'],
  ...[
    '{https://example.com/,{}}',
    'NULL',
    'null',
    '',
    ' ',
    ',',
    '"',
    '\\"',
    '\\',
    '\\N',
    '\\x00',
    '$1',
    '(1,2)',
  ],
  ...['a\tb\r\nc', 'https://example.com/\u{1f389}caf\u00e9/cafe\u0301/\u202e'],
];
/** Visible ASCII, of which a request identifier may be made. */
const requestIds = texts.map((text) => text.replace(/[^!-~]/g, '.') || '-');

describe('group commit: what a batch carries', () => {
  const service = groupedOf('suite');

  it('addresses and request identifiers arrive byte for byte, of one campaign and of many', async () => {
    const lives = await service.live(texts.length);
    const [chained] = await service.live(1);
    const mirrors = await Promise.all([
      ...lives.map((live, at) => service.setMirror(live, texts[at] as string, requestIds[at])),
      ...texts.map((text, at) => service.setMirror(chained, text, requestIds[at])),
    ]);
    expect(mirrors.map((mirror) => mirror?.targetUrl)).to.deep.equal([...texts, ...texts]);
    const [chain, rows] = [await service.history(chained), await service.history(...lives)];
    for (const recorded of [chain, rows]) {
      expect(recorded.map((row) => row.addressAfter)).to.deep.equal(texts);
      expect(recorded.map((row) => row.requestId)).to.deep.equal(requestIds);
    }
    expect(chain.slice(1).map((row) => row.addressBefore)).to.deep.equal(texts.slice(0, -1));
    expect(new Set([...chain, ...rows].map((row) => row.transaction)).size).to.equal(1);
    for (const [at, live] of lives.entries()) {
      expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: texts[at] });
    }
  });

  it('128 of the longest addresses go together, and no more; what is beyond goes next, in its order', async () => {
    const [live] = await service.live(1);
    const long = '\u{1f389}'.repeat(2025);
    const all = Array.from({ length: 200 }, (_, at) => `https://example.com/${at + 100}${long}`);
    await Promise.all(all.map((text) => service.setMirror(live, text)));
    const rows = await service.history(live);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(all);
    const sizes = new Map<string, number>();
    for (const { transaction } of rows) sizes.set(transaction, (sizes.get(transaction) ?? 0) + 1);
    expect([...sizes.values()]).to.deep.equal([128, 72]);
  });

  for (const named of [true, false]) {
    it(`DATABASE_POOLER=${named ? 'none: statements are' : 'transaction: no statement is'} kept by the connection`, async () => {
      const { pool, close } = await openDatabase(service.database.address('service'), {
        ...defaultPoolLimits,
        size: 1,
      });
      for (let time = 0; time < 2; time++)
        await new Statements(pool, { named }).run({ name: 'asked', text: 'select' }, []);
      const { rows } = await pool.query('select name from pg_prepared_statements');
      expect(rows).to.deep.equal(named ? [{ name: 'asked' }] : []);
      await close();
    });
  }
});
