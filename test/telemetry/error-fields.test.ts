import { expect } from 'chai';
import { errorFields } from '../../packages/app/src/logging/error-fields.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf } from '../support/process/lives.ts';

const marked = 'MARKED';

describe('docs/reference/logs.md: what is logged about an error', () => {
  const database = databaseOf('suite');

  it('nothing of what was thrown and is no error', () => {
    for (const thrown of [marked, { toString: () => marked }, Object.create(null), Symbol(marked), null, 1n])
      expect(JSON.stringify(errorFields(thrown)))
        .to.include('no Error was thrown')
        .and.not.to.include(marked);
  });

  it('no piece of JSON that a message quotes; no message and no chain of causes without end', () => {
    for (const text of [`{"${marked}"`, marked])
      expect(() => JSON.parse(text))
        .to.throw(SyntaxError)
        .with.satisfy((error: unknown) => !JSON.stringify(errorFields(error)).includes(marked));
    const error = new Error('x'.repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(errorFields(error))).to.have.length.below(20_000);
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
