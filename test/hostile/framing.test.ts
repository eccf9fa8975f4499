import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { Calls, HttpServer, Slots } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { messageFault } from '../../packages/adapters-http/src/routes/application.ts';
import {
  host,
  proxyNames,
  type TlsCaller,
  type TlsProxy,
  tlsCaller,
  tlsProxy,
} from '../support/deployment/tls-proxy.ts';
import { eventually } from '../support/promises.ts';
import { smuggled } from './smuggled.ts';

/** The service's own listener, which notes what it has read to its end, and from which address, instead of carrying it out. */
function notingServer(noted: { readonly what: string; readonly from: string }[]): HttpServer {
  const shared = { calls: new Calls(), slots: new Slots() };
  return new HttpServer((request, response) => {
    // As the application does.
    const isMalformed = messageFault(request) !== undefined;
    request.resume().once('end', () => {
      noted.push({
        what: `${request.method} ${request.url}`,
        from: `${request.headers['x-forwarded-for']}`,
      });
      const body = JSON.stringify({ url: request.url });
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        // By which the answers of the service are known behind a proxy.
        'X-Content-Type-Options': 'nosniff',
        ...(isMalformed && { Connection: 'close' }),
      };
      response.writeHead(isMalformed ? 400 : 200, headers).end(body);
    });
  }, shared);
}

// Answers of the service: a proxy's own lack this header. To HTTP/0.9, as nginx speaks it, a body alone, or behind another.
const answersIn = (text: string) =>
  text.match(/^x-content-type-options: nosniff\r$|(?<![^}])\{"url"/gim)?.length ?? 0;

for (const name of proxyNames)
  describe(`no request is taken for two behind ${name}`, () => {
    const noted: { readonly what: string; readonly from: string }[] = [];
    let service: HttpServer;
    let proxy: TlsProxy;
    let other: TlsCaller;
    /** Callers of the cases so far: each has an address of its own, which the proxies name to us. */
    const callers: string[] = [];
    before(async () => {
      service = notingServer(noted);
      const { port } = (await service.listen(0, '127.0.0.1')) as AddressInfo;
      proxy = await tlsProxy(name, port);
      other = tlsCaller(proxy);
    });
    after(async () => {
      other?.close();
      await proxy?.stop();
      await service?.drain(0);
    });

    /** Another caller, whose request goes over the same connections behind the proxy. */
    async function another(nth: number): Promise<void> {
      const path = `/other/${nth}`;
      const { status, body } = await other.call({ path, headers: {}, body: '{}' });
      expect([status, JSON.parse(body)]).to.deep.equal([200, { url: path }]);
    }

    /** Sends the bytes on a connection of their own, and counts what reached us for them and what was answered. */
    async function attack(text: string): Promise<void> {
      const nth = callers.length;
      const earlier = [...callers];
      const localAddress = `127.1.${nth >> 8}.${nth & 255}`;
      callers.push(localAddress);
      const bytes = Buffer.from(text.replaceAll('<OWN>', String(nth)), 'latin1');
      const before = noted.length;
      const socket = connect({
        ...{ host: '127.0.0.1', port: proxy.port, ca: proxy.ca, servername: host },
        ...{ localAddress, ALPNProtocols: ['http/1.1'] },
      });
      await once(socket, 'secureConnect');
      let received = '';
      socket.setEncoding('latin1').on('data', (more: string) => {
        received += more;
      });
      socket.on('error', () => {});
      // Without what a proxy sends on when the connection of an earlier case is over.
      const ours = () => noted.slice(before).filter(({ from }) => !earlier.includes(from));
      try {
        socket.write(bytes);
        // As a rule, the proxy has read what came before these, and what it has sent on was read before they were.
        await another(nth);
        await another(nth);
        // Where a request of the proxy is two of ours, one is answered to nobody, or to the next caller.
        await eventually('an answer for each request that reached us', () =>
          expect(ours().length - 2).to.be.at.most(answersIn(received)),
        );
      } catch (error) {
        const what = `sent     ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`;
        const reached = ours().map(({ what, from }) => `${what} (${from})`);
        const heard = `received ${JSON.stringify(received)}\nreached us ${reached}`;
        throw new Error(`${(error as Error).message}\n${what}\n${heard}`, { cause: error });
      } finally {
        socket.destroy();
      }
      await another(nth);
    }

    for (const { way, how, message } of smuggled) it(`${way}: ${JSON.stringify(how)}`, () => attack(message));
  });
