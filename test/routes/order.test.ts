import { hostDenylist } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { inOrder } from '../support/http/answer-rows.ts';
import { type Asking, ask, chunkedBytes, exchange, goodBody } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const parts = ({ headers = {}, ...others }: Asking) => [...Object.keys(others), ...Object.keys(headers)];
/** Whether a request can be wrong in both ways. */
const areApart = (one: Asking, other: Asking) => !parts(one).some((part) => parts(other).includes(part));

describe('contract: order of checks', () => {
  const deniedHosts = hostDenylist(['go.denied.example']);
  if ('notAHost' in deniedHosts) throw new Error(deniedHosts.notAHost);
  const service = withHttpService({ deniedHosts });

  async function answerTo(asking: Asking) {
    const { status, headers } = await ask(service(), asking);
    const { because } = await service().log.line(headers['x-request-id']);
    return { status, because };
  }

  for (const [at, { case: name, asking, status, because }] of inOrder.entries())
    it(`${name} before whatever comes after it`, async () => {
      const first = asking(service());
      for (const later of inOrder.slice(at + 1)) {
        const second = later.asking(service());
        if (!areApart(first, second)) continue;
        const both = { ...second, ...first, headers: { ...second.headers, ...first.headers } };
        expect(await answerTo(both), later.case).to.deep.equal({ status, because });
      }
    });

  for (const [kind, because] of [
    ['foreignDefaultWithoutMirror', 'mirror-not-created'],
    ['foreignWithoutMirror', 'mirror-not-created'],
    ['foreignDefault', 'default-campaign'],
  ] as const)
    it(`of several rules the first: ${kind}`, async () => {
      const campaign = service().campaigns[kind];
      expect(await answerTo({ campaign })).to.deep.equal({ status: 403, because });
    });

  it('a size that is seen while the body is read, before the key', async () => {
    const headers = { Authorization: `Bearer ${service().keys.unknown}` };
    const bytes = chunkedBytes(service(), [goodBody, ' '.repeat(16_385)], { headers });
    expect((await exchange(service(), bytes)).status).to.equal(413);
  });
});
