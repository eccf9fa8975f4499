import { expect } from 'chai';
import { ask, exchange, goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const invalid = 'Bearer realm="campaign-mirror", error="invalid_token"';

/** The header as it is with a good key, the status, and the challenge. */
const cases: Record<string, readonly [(key: string) => string, number, string?]> = {
  'the scheme in another case': [(key) => `bEaReR ${key}`, 200],
  'several spaces after it': [(key) => `Bearer     ${key}`, 200],
  'white space around the value': [(key) => `  Bearer ${key}\t `, 200],
  'the scheme alone': [() => 'Bearer', 401, invalid],
  'a key and something more': [(key) => `Bearer ${key} x`, 401, invalid],
};

describe('contract: order of checks, 3: authorization', () => {
  const service = withHttpService();

  for (const [name, [value, expected, challenge]] of Object.entries(cases))
    it(`${name}: ${expected}`, async () => {
      const Authorization = value(service().keys.valid);
      const { status, headers } = await ask(service(), { headers: { Authorization } });
      expect([status, headers['www-authenticate']]).to.deep.equal([expected, challenge]);
    });

  it('several, in another case, far behind 3,000 other headers: 400', async () => {
    const [head = ''] = requestBytes(service()).toString().split('\r\n\r\n');
    const another = `aUTHORIZATION: Bearer ${service().keys.valid}`;
    const hidden = `${head}\r\n${'a:\r\n'.repeat(3_000)}${another}\r\n\r\n${goodBody}`;
    expect((await exchange(service(), hidden)).body).to.include('More than one Authorization header.');
  });
});
