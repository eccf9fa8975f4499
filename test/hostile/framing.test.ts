import { once } from 'node:events';
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

/** The service's listener, which records the address behind each request. */
function recordingServer(record: (string | undefined)[]): HttpServer {
  const shared = { calls: new Calls(), slots: new Slots() };
  return new HttpServer((request, response) => {
    const isMalformed = messageFault(request) !== undefined;
    request.resume().once('end', () => {
      record.push(String(request.headers['x-forwarded-for']));
      const body = JSON.stringify({ url: request.url });
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        // Distinguishes these answers from those of the proxy.
        'X-Content-Type-Options': 'nosniff',
        ...(isMalformed && { Connection: 'close' }),
      };
      response.writeHead(isMalformed ? 400 : 200, headers).end(body);
    });
  }, shared);
}

/** Counts the answers of the service; nginx answers HTTP/0.9 with a body alone. */
const answersIn = (text: string) =>
  text.match(/^x-content-type-options: nosniff\r$|(?<![^}])\{"url"/gim)?.length ?? 0;

for (const name of proxyNames)
  describe(`${name} and the service never read one request as two`, () => {
    const record: string[] = [];
    /** Each case has an address of its own. */
    const callers: string[] = [];
    let service: HttpServer;
    let proxy: TlsProxy;
    let other: TlsCaller;
    before(async () => {
      service = recordingServer(record);
      proxy = await tlsProxy(name, (await service.listen(0, '127.0.0.1')).port);
      other = tlsCaller(proxy);
    });
    after(async () => {
      other?.close();
      await proxy?.stop();
      await service?.drain(0);
    });

    /** A call of another caller, over the same connections behind the proxy. */
    async function anotherCall(nth: number): Promise<void> {
      const path = `/other/${nth}`;
      const { status, body } = await other.call({ path, headers: {}, body: '{}' });
      expect([status, JSON.parse(body)]).to.deep.equal([200, { url: path }]);
    }

    for (const { way, how, message } of smuggled)
      it(`${way}, ${JSON.stringify(how)}: each request gets its own answer`, async () => {
        const nth = callers.length;
        const localAddress = `127.1.${nth >> 8}.${nth & 255}`;
        const earlier = [...callers];
        callers.push(localAddress);
        const before = record.length;
        const address = { host: '127.0.0.1', port: proxy.port, localAddress };
        const socket = connect({ ...address, ca: proxy.ca, servername: host, ALPNProtocols: ['http/1.1'] });
        let received = '';
        socket.setEncoding('latin1').on('data', (more: string) => {
          received += more;
        });
        await once(socket, 'secureConnect');
        socket.on('error', () => {});
        // A proxy may forward a request of an earlier case when its connection ends.
        const forwarded = () => record.slice(before).filter((from) => !earlier.includes(from)).length - 2;
        try {
          socket.write(message.replaceAll('<OWN>', String(nth)), 'latin1');
          // When these are answered, the proxy has normally read the bytes above.
          await anotherCall(nth);
          await anotherCall(nth);
          // If the service reads two requests in one of the proxy, one answer goes to nobody, or to another caller.
          await eventually('an answer to each request that the service received', () =>
            expect(forwarded(), received).to.be.at.most(answersIn(received)),
          );
        } finally {
          socket.destroy();
        }
        await anotherCall(nth);
      });
  });
