import type { AnsweredRequest } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { httpLog } from '../../packages/app/src/http/listeners.ts';
import { logTo, readable } from '../../packages/app/src/logging/log.ts';
import { errorFields } from '../../packages/app/src/logging/log-events.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf } from '../support/process/lives.ts';
import { marked } from '../support/secrets.ts';
import { steering } from './hostile-requests.ts';

const answered: AnsweredRequest = {
  ...{ requestId: 'one', client: '192.0.2.1', method: 'POST', route: '/a/{b}' },
  ...{ status: 200, milliseconds: 1.23456 },
};

describe('docs: logs: each event is one line of JSON', () => {
  let output: string;
  const log = logTo((line) => (output += line), 'info');
  const http = httpLog(log, 'info', () => {});
  beforeEach(() => {
    output = '';
  });

  it('the line of a request has its time, and an event for its status', () => {
    for (const [status, event] of [
      [200, 'request'],
      [401, 'request-unauthenticated'],
      [403, 'request-forbidden'],
      [429, 'request-limited'],
    ] as const) {
      output = '';
      http.answered({ ...answered, status });
      const [{ time, pid, ...line }] = objectsOf(output);
      const known = { ...answered, status, milliseconds: 1.235 };
      expect(line).to.deep.equal({ level: 30, event, ...known, msg: 'request' });
      expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(pid).to.equal(process.pid);
    }
  });

  it('no text can forge a line or control a terminal, and a reader of JSON gets it back', () => {
    const controls = /[^\n\u0020-\u007e\u00a1-\u1fff]/;
    for (const text of [...steering, '\u0085\u009b\u2028\u2029\u202e\u2066\u200f\ufeff\u061c\u200b\u007f']) {
      output = '';
      const err = Object.assign(new Error(`it says ${text}`), { code: text });
      log.error({ event: 'unexpected', requestId: text, err }, text);
      http.answered({ ...answered, requestId: text, method: text, route: text, client: text });
      const [error, request, ...more] = objectsOf(output);
      expect(error).to.include({ requestId: text, msg: text }).and.to.have.nested.property('err.code', text);
      expect(request).to.include({ requestId: text, method: text, route: text, client: text });
      expect(more).to.deep.equal([]);
      const shown = output.split(/(?<=\n)/).map(readable);
      expect([output, ...shown].join('')).not.to.match(controls);
      for (const line of shown) expect(line).not.to.match(/^\{?"?(?:level|event)/m);
    }
  });
});

describe('docs: logs: a logged error shows no value', () => {
  const database = databaseOf('suite');

  it('the text in an error of JSON.parse is not shown, and long errors are cut', () => {
    for (const text of [`{"${marked}"`, marked])
      expect(() => JSON.parse(text))
        .to.throw(SyntaxError)
        .with.satisfy((error: unknown) => !JSON.stringify(errorFields(error)).includes(marked));
    const error = new Error('x'.repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(errorFields(error))).to.have.length.below(20_000);
  });

  it('the values in an error of the database are not shown, and names of missing objects are', async () => {
    const client = await connect(database.address('owner'));
    const errorOf = (text: string, ...values: string[]) =>
      client.query(text, values).catch((error: unknown) => error);
    for (const [text, ...values] of [
      ['select $1::bigint', marked],
      ['select $1::text[]', marked],
      ['select $1::numeric::int', '99999999999'],
      [`select '${marked}' ${marked} from from`],
      ['insert into campaign_mirror.campaigns (owner_id, name) values (0, $1)', marked],
      [`do $$ begin raise exception '%', '${marked}'; end $$`],
    ] as const) {
      const error = await errorOf(text, ...values);
      expect(error, text).to.be.instanceOf(Error).and.to.have.property('code');
      expect(JSON.stringify(errorFields(error)), text).not.to.match(new RegExp(`${marked}|99999999999`));
    }
    const missing = await errorOf('select from campaign_mirror.nothing');
    expect(errorFields(missing).message).to.equal('relation "campaign_mirror.nothing" does not exist');
    await client.end();
  });
});
