import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { application, Calls, type Middleware, Slots } from '@campaign-mirror/adapters-http';
import { SetCampaignMirror, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rows, standing } from '../support/http/answer-rows.ts';
import { ask, newAddress } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import type { World } from '../support/store/postgres-world.ts';

const settings = () => ({ calls: new Calls(), slots: new Slots(64) });

describe('the application by itself', () => {
  const service = withHttpService();
  const useCase = (campaigns: World['campaigns'] = service().world.campaigns) =>
    new SetCampaignMirror(campaigns, service().world.identity);

  /** The application on these campaigns, in a plain server, which ends with what is done meanwhile. */
  async function served(
    campaigns: World['campaigns'] | undefined,
    meanwhile: (host: HttpService) => Promise<void>,
  ) {
    const server = createServer(application({ ...settings(), useCase: useCase(campaigns) }).callback());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      await meanwhile({ ...service(), port: (server.address() as AddressInfo).port });
    } finally {
      server.close().closeAllConnections();
    }
  }

  it('answers in a plain server of node:http as the contract says', () =>
    served(undefined, async (host) => {
      const set = await ask(host);
      expect([set.status, JSON.parse(set.body).mirror.target_url]).to.deep.equal([200, newAddress]);
      expect(set.headers).to.include(standing).and.to.have.property('etag');
      const asked = ['not-the-owner', 'no address', 'a scheme', 'no key', 'unknown key', 'route unknown'];
      for (const { case: name, asking, status, body, headers } of rows)
        if (asked.includes(name)) {
          const answer = await ask(host, asking(host));
          expect([answer.status, answer.body], name).to.deep.equal([status, body]);
          expect(answer.headers, name).to.include({ ...standing, ...headers });
        }
    }));

  it('without a log, prints what is behind a 500 and a 503, and nothing else', async () => {
    const faults = [
      new Error('of the 500'),
      new Unavailable('of the 503', { cause: 'a secret' }),
      'no error',
    ];
    const failing = async () => {
      throw faults.shift();
    };
    const lines: string[] = [];
    const { error } = console;
    console.error = (...words) => lines.push(words.join(' '));
    try {
      await served({ find: failing, setMirror: failing }, async (host) => {
        const statuses = [];
        for (let call = 0; call < 3; call++) statuses.push((await ask(host)).status);
        expect(statuses).to.deep.equal([500, 503, 500]);
        await ask(host, { headers: { Authorization: undefined } });
      });
    } finally {
      console.error = error;
    }
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/Error: of the 500\n +at /);
    expect(lines[1])
      .to.match(/Unavailable: of the 503\n +at /)
      .and.not.include('secret');
    expect(lines[2]).to.include('Error: no error');
  });

  it('refuses limits that are no numbers, as of variables that are not set', () => {
    const none = Number(undefined);
    const limited = () => application({ ...settings(), useCase: useCase(), bodyLimit: none });
    expect(limited).to.throw(TypeError, 'bodyLimit');
    expect(() => new Slots(none)).to.throw(TypeError, 'size');
  });
});

describe('middleware of a program', () => {
  const data = withHttpService();
  const reading: Middleware = async (context, next) => {
    Object.assign(context.request, { body: await json(context.req) });
    return next();
  };
  const rest: Promise<unknown>[] = [];
  const hasty: Middleware = (_context, next) => {
    rest.push(next());
  };
  const reads = withHttpService({ middleware: [reading] }, data);
  const hastens = withHttpService({ middleware: [hasty] }, data);

  afterEach('nothing was set', async () => {
    expect(await data().world.others.history(data().campaigns.own)).to.deep.equal([]);
  });

  it('that reads the body: 500, and the log says why', async () => {
    expect((await ask(reads())).status).to.equal(500);
    expect(reads().log.faults.map(({ error }) => String(error))).to.deep.equal([
      'Error: middleware has read the body',
    ]);
  });

  it('that does not wait for the rest of the chain: 404', async () => {
    expect((await ask(hastens())).status).to.equal(404);
    await Promise.all(rest);
    expect(rest).to.have.length(1);
  });
});
