import { once } from 'node:events';
import { connect } from 'node:tls';
import { host, type TlsProxy } from '../../support/deployment/tls-proxy.ts';

/** A connection to a proxy, from an address of ours, that sends what it likes and counts the answers. */
export async function tlsAttack({ port, ca }: TlsProxy, localAddress: string) {
  const to = { host: '127.0.0.1', port, ca, servername: host, localAddress };
  const socket = connect({ ...to, ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => {});
  return {
    send: (bytes: Buffer) => socket.write(bytes),
    /** How many requests it heard the service's answer to, so far. */
    answers: () => answersIn(received),
    received: () => received,
    close: () => socket.destroy(),
  };
}

/** Final answers of the service in what a proxy has sent. @throws where something else stands between answers */
export function answersIn(text: string): number {
  // HTTP/0.9, which nginx speaks, has no head.
  if (text.startsWith('{')) return 1;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    const head = text.slice(at, end);
    if (end === -1) break;
    const [, status = ''] = /^HTTP\/1\.[01] (\d{3}) /.exec(head) ?? [];
    if (status === '') throw new Error(`no answer begins here: ${JSON.stringify(text.slice(at, at + 200))}`);
    // The proxies' own answers do not have it.
    if (/^x-content-type-options: nosniff$/im.test(head)) count++;
    const [, length] = /^content-length: *(\d+)$/im.exec(head) ?? [];
    const isLast =
      /^connection: close$/im.test(head) || (length === undefined && status >= '200' && status !== '204');
    if (isLast) break;
    // An answer to HEAD has a length, but no body.
    const body = text.startsWith('HTTP/1.', end + 4) ? 0 : Number(length ?? 0);
    at = end + 4 + body;
  }
  return count;
}
