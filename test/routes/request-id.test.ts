import { expect } from 'chai';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const allVisible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('contract: headers: X-Request-Id links the answer, the log and the history', () => {
  const service = withHttpService();

  it('a valid id of the caller is kept', async () => {
    for (const id of ['a', allVisible, 'x'.repeat(128)]) {
      const { headers } = await ask(service(), { headers: { 'X-Request-Id': id } });
      const history = await service().world.others.history(service().campaigns.own);
      expect([headers['x-request-id'], history.at(-1)?.requestId]).to.deep.equal([id, id]);
    }
  });

  it('an absent or malformed id is replaced by a new one', async () => {
    const ids = new Set<unknown>();
    const malformed = ['x'.repeat(129), 'a b', 'caf\xe9', ['a', 'b'], 'a\r\nX Bad: b'];
    for (const value of [undefined, undefined, ...malformed]) {
      const { 'x-request-id': id } = (await ask(service(), { headers: { 'X-Request-Id': value } })).headers;
      expect(id).to.match(uuid);
      await service().log.line(id);
      ids.add(id);
    }
    expect(ids.size).to.equal(7);
  });
});
