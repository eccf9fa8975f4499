import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask, exchange, goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { named } from '../support/store/operator.ts';
import { newOwner } from '../support/store/world.ts';

type Value = (key: string) => string | readonly string[] | undefined;

const accepted: Record<string, Value> = {
  'the scheme in lower case': (key) => `bearer ${key}`,
  'the scheme in mixed case': (key) => `bEaReR ${key}`,
  'several spaces after it': (key) => `Bearer     ${key}`,
  'white space around the value': (key) => `  Bearer ${key}\t `,
};
const noKey: Record<string, Value> = {
  'no header': () => undefined,
  'an empty header': () => '',
  'another scheme': (key) => `Basic ${key}`,
  'the key alone': (key) => key,
  'no space between': (key) => `Bearer${key}`,
  'a tab between': (key) => `Bearer\t${key}`,
  'a longer scheme': (key) => `Bearers ${key}`,
};
const invalidKey: Record<string, Value> = {
  'the scheme alone': () => 'Bearer',
  'a key and something more': (key) => `Bearer ${key} x`,
  'two keys': (key) => `Bearer ${key}, ${key}`,
  'a tab and the key': (key) => `Bearer \t${key}`,
  'a quoted key': (key) => `Bearer "${key}"`,
  'a key in another case': (key) => `Bearer ${key.toUpperCase()}`,
  'a key with a wrong checksum': (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
  'a key that is cut short': (key) => `Bearer ${key.slice(0, -1)}`,
  'bytes that are not ASCII': (key) => `Bearer ${key}\xe9`,
};
const repeated: Record<string, Value> = {
  'twice the same': (key) => [`Bearer ${key}`, `Bearer ${key}`],
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

  it('contract: order of checks — 3, a trailer is no Authorization header', async () => {
    const headers = { Authorization: undefined, 'Transfer-Encoding': 'chunked' };
    const head = requestBytes(service(), { headers, body: undefined }).toString();
    const trailer = `Authorization: Bearer ${service().keys.valid}`;
    const size = goodBody.length.toString(16);
    const { status } = await exchange(service(), `${head}${size}\r\n${goodBody}\r\n0\r\n${trailer}\r\n\r\n`);
    expect(status).to.equal(401);
  });

  it('contract: keys — a revoked key is refused at once, on a connection that it was good on', async () => {
    const { world, campaigns, port } = service();
    const owner = newOwner();
    await world.others.transfer(campaigns.ownBeside, owner);
    const { id, key } = await world.accessKeys.issue({ owner, name: named('soon revoked') });
    const headers = { Authorization: `Bearer ${key}` };
    const bytes = requestBytes(service(), { campaign: campaigns.ownBeside, headers });
    const connection = await RawConnection.open(port);
    await connection.send(bytes);
    expect((await connection.response()).status).to.equal(200);
    await world.accessKeys.revoke(id);
    await connection.send(bytes);
    expect((await connection.response()).status).to.equal(401);
  });
});
