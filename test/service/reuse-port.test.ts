import { Agent } from 'node:http';
import { expect } from 'chai';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { endAll, listeningService, startService } from '../support/process/service-process.ts';

describe('REUSE_PORT', () => {
  const data = serviceDataOf('suite');
  let PORT: string;
  beforeEach(async () => {
    PORT = String(await freePort());
  });
  afterEach(endAll);

  it('on: processes share the port, and when one ends the others go on', async () => {
    const settings = data.settings({ PORT, REUSE_PORT: 'on' });
    const [one, other] = [await listeningService(settings), await listeningService(settings)];
    expect(one.base).to.equal(other.base);
    const answered = async (service: typeof one) =>
      /^campaign_mirror_http_requests_total\{listener="callers".*status="200"/m.test(
        await (await fetch(`${service.ops}/metrics`)).text(),
      );
    // Each call has a connection of its own; each process gets about half of them.
    const agent = new Agent({ keepAlive: false });
    let calls = 0;
    while (!((await answered(one)) && (await answered(other)))) {
      expect((await call(data.one(one), agent)).status).to.equal(200);
      expect(++calls).to.be.below(100);
    }
    expect(await one.process.stop()).to.include({ code: 0 });
    for (let number = 0; number < 10; number++)
      expect((await call(data.one(other), agent)).status).to.equal(200);
  });

  it('it takes both: a process without it does not join, and its line says that the port is in use', async () => {
    await listeningService(data.settings({ PORT, REUSE_PORT: 'on' }));
    const refused = startService(data.settings({ PORT }));
    expect((await refused.ended).code).to.equal(1);
    expect(refused.errors).to.match(new RegExp(`^PORT ${PORT} on 127\\.0\\.0\\.1 is in use: `));
  });
});
