import { expect } from 'chai';
import { ask, exchange, goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

type Value = (key: string) => string | readonly string[] | undefined;

const accepted: Record<string, Value> = {
  'the scheme in another case': (key) => `bEaReR ${key}`,
  'several spaces after it': (key) => `Bearer     ${key}`,
  'white space around the value': (key) => `  Bearer ${key}\t `,
};
const noKey: Record<string, Value> = {
  'an empty header': () => '',
  'the key alone': (key) => key,
  'no space between': (key) => `Bearer${key}`,
  'a tab between': (key) => `Bearer\t${key}`,
};
const invalidKey: Record<string, Value> = {
  'the scheme alone': () => 'Bearer',
  'a key and something more': (key) => `Bearer ${key} x`,
  'a tab and the key': (key) => `Bearer \t${key}`,
};
const repeated: Record<string, Value> = {
  'one good, one of another scheme': (key) => [`Bearer ${key}`, 'Basic x'],
  'one empty, one good': (key) => ['', `Bearer ${key}`],
};
const realm = 'Bearer realm="campaign-mirror"';

describe('contract: order of checks — authentication', () => {
  const service = withHttpService();
  const askWith = (value: Value) =>
    ask(service(), { headers: { Authorization: value(service().keys.valid) } });

  for (const [kind, values, expected, challenge] of [
    ['order of checks — 3, accepted', accepted, 200, undefined],
    ['answers — no key', noKey, 401, realm],
    ['answers — malformed key', invalidKey, 401, `${realm}, error="invalid_token"`],
    ['answers — more than one Authorization', repeated, 400, undefined],
  ] as const) {
    for (const [name, value] of Object.entries(values)) {
      it(`contract: answers — ${kind}: ${name}`, async () => {
        const { status, headers } = await askWith(value);
        expect([status, headers['www-authenticate']]).to.deep.equal([expected, challenge]);
      });
    }
  }

  it('contract: answers — more than one Authorization: names in another case, far behind 3,000 others', async () => {
    const { keys } = service();
    const [head = ''] = requestBytes(service()).toString().split('\r\n\r\n');
    const hidden = `${head}\r\n${'a:\r\n'.repeat(3_000)}aUTHORIZATION: Bearer ${keys.valid}\r\n\r\n${goodBody}`;
    const { status, body } = await exchange(service(), hidden);
    expect([status, body]).to.deep.equal([400, '{"message":"More than one Authorization header."}']);
  });
});
