import { application, Calls, Slots } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rows, standing } from '../support/http/answer-rows.ts';
import { httpServer } from '../support/http/http-server.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

describe('docs: use the packages: the application runs in another server', () => {
  const service = withHttpService();

  it('in a plain server of node:http, it answers as the contract says', async () => {
    const { campaigns, identity } = service().world;
    const useCase = new SetCampaignMirror(campaigns, identity);
    const app = application({ calls: new Calls(), slots: new Slots(64), useCase });
    const { port, close } = await httpServer(app.callback());
    const host = { ...service(), port };
    expect((await ask(host)).status).to.equal(200);
    const some = ['not-the-owner', 'required', 'no-key', 'unknown-key', 'route-not-found'];
    for (const { because, asking, status, body, headers } of rows.filter((row) =>
      some.includes(row.because),
    )) {
      const answer = await ask(host, asking(host));
      expect([answer.status, answer.body], because).to.deep.equal([status, body]);
      expect(answer.headers, because).to.include({ ...standing, ...headers });
    }
    await close();
  });
});
