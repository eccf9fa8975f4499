import { expect } from 'chai';
import * as fc from 'fast-check';
import { TlsCaller } from '../support/deployment/tls-caller.ts';
import { proxyNames, type TlsProxy, tlsProxy } from '../support/deployment/tls-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { seed } from '../support/seed.ts';
import { smuggled } from './framing/corpus.ts';
import { tlsAttack } from './framing/tls-attack.ts';
import { type ToldRequests, toldRequests } from './framing/told-requests.ts';
import { conversation } from './requests/conversation.ts';

const generated = 100;

/** Each case has an address of its own, which the proxies name to us. */
const addressOf = (nth: number) => `127.1.${nth >> 8}.${nth & 255}`;
function isEarlier(address: string | undefined, nth: number): boolean {
  const [, high, low] = /^127\.1\.(\d+)\.(\d+)$/.exec(address ?? '') ?? [];
  return high !== undefined && Number(high) * 256 + Number(low) < nth;
}

for (const name of proxyNames)
  describe(`no request is taken for two behind ${name} (SEED=${seed})`, () => {
    let service: ToldRequests;
    let proxy: TlsProxy;
    let other: TlsCaller;
    let cases = 0;
    before(async () => {
      service = await toldRequests();
      proxy = await tlsProxy(name, service.port);
      other = new TlsCaller(proxy);
    });
    after(async () => {
      other?.close();
      await proxy?.stop();
      await service?.close();
    });

    /** Another caller, whose request goes over the same connections behind the proxy. */
    async function another(nth: number): Promise<void> {
      const path = `/other/${nth}`;
      const { status, body } = await other.call({ path, headers: {}, body: '{}' });
      expect([status, JSON.parse(body)]).to.deep.equal([200, { url: path }]);
    }

    /** What reached us for the bytes of a caller, and what that caller was answered. */
    async function attack(text: string): Promise<void> {
      const nth = ++cases;
      const bytes = Buffer.from(text.replaceAll('<OWN>', String(nth)), 'latin1');
      const before = service.told.length;
      const connection = await tlsAttack(proxy, addressOf(nth));
      // Without what a proxy sends on when the connection of an earlier case is over.
      const told = () => service.told.slice(before).filter(({ from }) => !isEarlier(from, nth));
      try {
        connection.send(bytes);
        // As a rule, the proxy has read what came before these, and what it has sent on was read before they were.
        await another(nth);
        await another(nth);
        // Where a request of the proxy is two of ours, one is answered to nobody, or to the next caller.
        await eventually(
          'an answer for each request that reached us',
          () => expect(told().length - 2).to.be.at.most(connection.answers()),
          { within: 5_000 },
        );
      } catch (error) {
        const what = `sent     ${JSON.stringify(bytes.toString('latin1').slice(0, 1_500))}`;
        const reached = told().map(({ what, from }) => `${what} (${from})`);
        const heard = `received ${JSON.stringify(connection.received())}\nreached us ${reached}`;
        throw new Error(`${(error as Error).message}\n${what}\n${heard}`, { cause: error });
      } finally {
        connection.close();
      }
      await another(nth);
    }

    for (const [what, bytes] of smuggled) it(what, () => attack(bytes));

    it(`${generated} generated ones`, () =>
      fc.assert(
        fc.asyncProperty(conversation, ({ messages }) => attack(messages.join(''))),
        { seed, numRuns: generated },
      ));
  });
