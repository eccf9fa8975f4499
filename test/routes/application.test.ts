import { json } from 'node:stream/consumers';
import { application, Calls, type Middleware, Slots } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rows, standing } from '../support/http/answer-rows.ts';
import { httpServer } from '../support/http/http-server.ts';
import { ask, newAddress } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

describe('docs: use the packages: the application runs in a plain server of node:http', () => {
  const service = withHttpService();

  async function served(
    campaigns: HttpService['world']['campaigns'],
    test: (host: HttpService) => Promise<void>,
  ) {
    const useCase = new SetCampaignMirror(campaigns, service().world.identity);
    const app = application({ calls: new Calls(), slots: new Slots(64), useCase });
    const { port, close } = await httpServer(app.callback());
    await test({ ...service(), port }).finally(close);
  }

  it('it answers as the contract says', () =>
    served(service().world.campaigns, async (host) => {
      const set = await ask(host);
      expect([set.status, JSON.parse(set.body).mirror.target_url]).to.deep.equal([200, newAddress]);
      const some = ['not-the-owner', 'no address', 'no key', 'an unknown key', 'an unknown route'];
      for (const { case: name, asking, status, body, headers } of rows)
        if (some.includes(name)) {
          const answer = await ask(host, asking(host));
          expect([answer.status, answer.body], name).to.deep.equal([status, body]);
          expect(answer.headers, name).to.include({ ...standing, ...headers });
        }
    }));

  it('without a log, it prints the errors behind 500 and 503, and nothing else', async () => {
    const faults = [new Error('of the 500'), new Unavailable('of the 503', { cause: 'a secret' })];
    const failing = async () => {
      throw faults.shift();
    };
    const lines: string[] = [];
    const { error } = console;
    console.error = (...words) => lines.push(words.join(' '));
    try {
      await served({ find: failing, setMirror: failing }, async (host) => {
        expect([(await ask(host)).status, (await ask(host)).status]).to.deep.equal([500, 503]);
        await ask(host, { headers: { Authorization: undefined } });
      });
    } finally {
      console.error = error;
    }
    expect(lines).to.have.length(2);
    expect(lines[0]).to.match(/Error: of the 500\n +at /);
    expect(lines[1]).to.match(/Unavailable: of the 503\n +at /);
    expect(lines[1]).not.to.include('secret');
  });

  const rest: Promise<unknown>[] = [];
  const wrong: Record<string, readonly [status: number, Middleware]> = {
    'reads the body': [
      500,
      async ({ request, req }, next) => {
        Object.assign(request, { body: await json(req) });
        return next();
      },
    ],
    'does not wait for the route': [404, (_, next) => void rest.push(next())],
  };
  for (const [what, [status, middleware]] of Object.entries(wrong)) {
    const wronged = withHttpService({ middleware: [middleware] });
    it(`middleware that ${what} gets ${status}, and nothing is set`, async () => {
      expect((await ask(wronged())).status).to.equal(status);
      await Promise.all(rest);
      expect(await wronged().world.others.history(wronged().campaigns.own)).to.deep.equal([]);
    });
  }
});
