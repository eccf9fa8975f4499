import { expect } from 'chai';
import { errorFields } from '../../packages/app/src/logging/error-fields.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf } from '../support/process/lives.ts';

const marked = 'MARKED';
const thrownBy = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return error;
  }
};

describe('docs/reference/logs.md: what is logged about an error', () => {
  it('its type, message, code, stack and causes, and no other field', () => {
    const cause = Object.assign(new TypeError('why'), { code: 'ECONNRESET', parameters: [marked] });
    const error = Object.assign(new Error('what', { cause }), { detail: marked });
    const { stack, cause: why, ...rest } = errorFields(error);
    expect(rest).to.deep.equal({ type: 'Error', message: 'what' });
    expect(stack)
      .to.match(/^ {4}at /)
      .and.not.to.include('what');
    expect(why).to.include({ type: 'TypeError', message: 'why', code: 'ECONNRESET' });
    expect(JSON.stringify(errorFields(error))).not.to.include(marked);
  });

  it('nothing of what was thrown and is no error', () => {
    for (const thrown of [
      marked,
      { toString: () => marked },
      Object.create(null),
      Symbol(marked),
      null,
      1n,
    ]) {
      expect(JSON.stringify(errorFields(thrown)))
        .to.include('no Error was thrown')
        .and.not.to.include(marked);
    }
  });

  it('a message is no part of the stack, whatever it looks like', () => {
    const { stack } = errorFields(new Error(`one\n    at ${marked} (file.ts:1:1)`));
    expect(stack)
      .to.match(/^ {4}at /)
      .and.not.to.include(marked);
  });

  it('a chain of causes that does not end is cut, as is a message without end', () => {
    const error = new Error('x'.repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(errorFields(error))).to.have.length.below(20_000);
  });

  it('no key, no credentials and no piece of JSON that a message quotes', () => {
    const key = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
    const quoting = new Error(`no ${key} at postgres://me:${marked}@host/db nor https://${marked}@host/`);
    expect(errorFields(quoting).message).to.equal('no cm_… at postgres://…@host/db nor https://…@host/');
    for (const text of [`{"${marked}"`, marked]) {
      const error = thrownBy(() => JSON.parse(text));
      expect(error).to.be.instanceOf(SyntaxError);
      expect(JSON.stringify(errorFields(error))).not.to.include(marked);
    }
  });

  describe('of a database', () => {
    const database = databaseOf('suite');

    for (const [what, text, values] of [
      ['a value of another type', 'select $1::bigint', [marked]],
      ['an array that is none', 'select $1::text[]', [marked]],
      ['a time that is none', 'select $1::timestamptz', [marked]],
      ['a value that is too large', 'select $1::numeric::int', ['99999999999']],
      ['a statement that is wrong', `select '${marked}' ${marked} from from`, []],
      [
        'a value that a constraint refuses',
        'insert into campaign_mirror.campaigns (owner_id, name) values (0, $1)',
        [marked],
      ],
      ["a trigger's own words", `do $$ begin raise exception '%', '${marked}'; end $$`, []],
    ] as const) {
      it(`does not quote ${what}`, async () => {
        const client = await connect(database.address('owner'));
        const error = await client.query(text, [...values]).catch((fault: unknown) => fault);
        await client.end();
        expect(error).to.be.instanceOf(Error).and.to.have.property('code');
        expect(JSON.stringify(errorFields(error)))
          .not.to.include(marked)
          .and.not.to.include('99999999999');
      });
    }

    it('names what is missing in it', async () => {
      const client = await connect(database.address('service'));
      const error = await client
        .query('select from campaign_mirror.nothing')
        .catch((fault: unknown) => fault);
      await client.end();
      expect(errorFields(error).message).to.equal('relation "campaign_mirror.nothing" does not exist');
    });
  });
});
