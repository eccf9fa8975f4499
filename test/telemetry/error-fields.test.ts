import { expect } from 'chai';
import { errorFields } from '../../packages/app/src/logging/error-fields.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf } from '../support/process/lives.ts';

const marked = 'MARKED';

describe('docs/reference/logs.md: what is logged about an error', () => {
  const database = databaseOf('suite');

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
    for (const thrown of [marked, { toString: () => marked }, Object.create(null), Symbol(marked), null, 1n])
      expect(JSON.stringify(errorFields(thrown)))
        .to.include('no Error was thrown')
        .and.not.to.include(marked);
  });

  it('its message once: not in the stack, not without end, and no chain of causes without end', () => {
    const { stack } = errorFields(new Error(`one\n    at ${marked} (file.ts:1:1)`));
    expect(stack)
      .to.match(/^ {4}at /)
      .and.not.to.include(marked);
    const error = new Error('x'.repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(errorFields(error))).to.have.length.below(20_000);
  });

  it('no key, no credentials and no piece of JSON that a message quotes', () => {
    const key = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
    const quoting = new Error(`no ${key} at postgres://me:${marked}@host/db nor https://${marked}@host/`);
    expect(errorFields(quoting).message).to.equal('no cm_… at postgres://…@host/db nor https://…@host/');
    for (const text of [`{"${marked}"`, marked])
      expect(() => JSON.parse(text))
        .to.throw(SyntaxError)
        .with.satisfy((error: unknown) => !JSON.stringify(errorFields(error)).includes(marked));
  });

  it('nothing that a database quotes, but the name of what is missing in it', async () => {
    const client = await connect(database.address('owner'));
    const faultOf = (text: string, ...values: string[]) =>
      client.query(text, values).catch((fault: unknown) => fault);
    for (const [text, ...values] of [
      ['select $1::bigint', marked],
      ['select $1::text[]', marked],
      ['select $1::timestamptz', marked],
      ['select $1::numeric::int', '99999999999'],
      [`select '${marked}' ${marked} from from`],
      ['insert into campaign_mirror.campaigns (owner_id, name) values (0, $1)', marked],
      [`do $$ begin raise exception '%', '${marked}'; end $$`],
    ] as const) {
      const error = await faultOf(text, ...values);
      expect(error, text).to.be.instanceOf(Error).and.to.have.property('code');
      expect(JSON.stringify(errorFields(error)), text).not.to.match(/MARKED|99999999999/);
    }
    const missing = await faultOf('select from campaign_mirror.nothing');
    expect(errorFields(missing).message).to.equal('relation "campaign_mirror.nothing" does not exist');
    await client.end();
  });
});
