import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { type Statement, Statements } from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import { timestampAt, timestampText } from '../../packages/adapters-persistence/src/schema/times.ts';
import { databaseOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';

describe('statements of the hot path, on one connection', () => {
  const database = databaseOf('suite');
  const limits = { size: 1, waitTimeout: 5_000, statementTimeout: 5_000, queryTimeout: 6_000 };
  let service: Database;
  beforeEach(async () => {
    service = await openDatabase(database.address('service'), limits);
  });
  afterEach(() => service.close());

  for (const prepared of [true, false]) {
    describe(prepared ? 'kept by it' : 'not kept', () => {
      const run = (name: string, text: string, values: Parameters<Statements['run']>[1] = []) =>
        new Statements(service.pool, prepared ? {} : { prepared }).run(
          { name: name as Statement['name'], text },
          values,
        );

      it('values arrive as they are, and rows come back as PostgreSQL writes them, in order', async () => {
        const text = `select $1::text, $2::bigint, $3::boolean, $4::boolean, encode($5::bytea, 'hex'), $6::text,
          $7::text[], 'a' as same, 'b' as same`;
        const odd = `'"\\{},\u{1F600}\t\r\n`;
        const values = [odd, 2 ** 53 - 1, true, false, Buffer.from([0, 255, 92]), null, '{"a b",NULL,""}'];
        for (let time = 1; time <= 3; time++) {
          expect(await run('every-kind', text, values)).to.deep.equal([
            [odd, '9007199254740991', 't', 'f', '00ff5c', null, '{"a b",NULL,""}', 'a', 'b'],
          ]);
        }
        const { rows } = await service.pool.query('select name from pg_prepared_statements');
        expect(rows).to.deep.equal(prepared ? [{ name: 'every-kind' }] : []);
        const answers = [1, 2, 3, 4].map((number) => run('echo', 'select $1::int', [number]));
        expect(await Promise.all(answers)).to.deep.equal([[['1']], [['2']], [['3']], [['4']]]);
      });

      it('a fault is thrown, in reading the text, a value or at work, and the next one is answered', async () => {
        const divide = 'select 12 / $1::int';
        for (let time = 1; time <= 2; time++) {
          expect(await rejection(run('unreadable', 'selec'))).to.have.property('code', '42601');
          expect(await rejection(run('divide', divide, ['no number']))).to.have.property('code', '22P02');
          expect(await rejection(run('divide', divide, [0]))).to.have.property('code', '22012');
          expect(await run('divide', divide, [4])).to.deep.equal([['3']]);
        }
        await database.admin.query('create table if not exists coming (); grant insert on coming to public');
        expect(await rejection(run('copy', 'copy coming from stdin'))).to.be.instanceOf(Error);
        expect(await run('divide', divide, [4])).to.deep.equal([['3']]);
        expect(await service.close()).to.equal(true);
      });
    });
  }

  it('a plan that is stale on every connection: the statement is answered at once', async () => {
    await service.close();
    service = await openDatabase(database.address('service'), { ...limits, size: 3 });
    await database.admin.query('create table changing (column_ int); grant all on changing to public');
    const ask = () =>
      new Statements(service.pool).run({ name: 'look-up', text: 'select * from changing' }, []);
    await Promise.all([ask(), ask(), ask()]);
    expect(service.pool.totalCount).to.equal(3);
    await database.admin.query('alter table changing add another int');
    expect(await ask()).to.deep.equal([]);
  });

  it('a time that PostgreSQL writes as seconds is the one that it writes as a text, to the microsecond, whatever its time zone and style', async () => {
    const times = [
      '2026-11-22T11:35:29.123456Z',
      '2024-02-29T23:59:59.999999Z',
      '1969-12-31T23:59:59.999999Z',
      '0001-01-01T00:00:00.000000Z',
      '0099-06-15T12:00:00.000007Z',
      '9999-12-31T23:59:59.999999Z',
    ];
    await service.pool.query("set time zone 'Asia/Kathmandu'; set datestyle to 'German'");
    const text = `select extract(epoch from at), ${timestampText('at')} from unnest($1::timestamptz[]) at`;
    const rows = await new Statements(service.pool).run({ name: 'look-up', text }, [`{${times.join()}}`]);
    expect(rows.map((row) => row[1])).to.deep.equal(times);
    expect(rows.map(([seconds]) => timestampAt(String(seconds)))).to.deep.equal(times);
    // An infinite one is the first or the last moment of the years 1 to 9999.
    expect(timestampAt('-Infinity')).to.equal('0001-01-01T00:00:00.000000Z');
    expect(timestampAt('Infinity')).to.equal('9999-12-31T23:59:59.999999Z');
  });
});
