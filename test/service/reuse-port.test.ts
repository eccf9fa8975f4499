import { Agent } from 'node:http';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';

describe('REUSE_PORT', () => {
  const data = serviceDataOf('suite');

  it('processes share the port, and when one ends the others go on; one without it does not join', async () => {
    const PORT = String(await freePort());
    const settings = data.settings({ PORT, REUSE_PORT: 'on' });
    const [one, other] = [await listeningService(settings), await listeningService(settings)];
    expect(one.base).to.equal(other.base);
    const answered = async (service: typeof one) =>
      /^campaign_mirror_http_requests_total\{listener="callers".*status="200"/m.test(
        await (await fetch(`${service.ops}/metrics`)).text(),
      );
    // Each call has a connection of its own; each process gets about half of them.
    const agent = new Agent({ keepAlive: false });
    for (let calls = 1; !((await answered(one)) && (await answered(other))); calls++) {
      expect((await call(data.one(one), agent)).status).to.equal(200);
      expect(calls).to.be.below(100);
    }
    expect(await one.process.stop()).to.include({ code: 0 });
    for (let number = 0; number < 10; number++)
      expect((await call(data.one(other), agent)).status).to.equal(200);
    const refused = startService(data.settings({ PORT }));
    expect((await refused.ended).code).to.equal(1);
    expect(refused.errors).to.match(new RegExp(`^PORT ${PORT} on 127\\.0\\.0\\.1 is in use: `));
  });
});
