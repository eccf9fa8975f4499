import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { accessKey, hostDenylist, mirrorAddress, noDeniedHosts } from '@campaign-mirror/domain';
import { credentialInHeaders } from '../../../packages/adapters-http/src/messages/authorization.ts';
import { bodyHeaderFault } from '../../../packages/adapters-http/src/messages/body-headers.ts';
import { ConnectionClient } from '../../../packages/adapters-http/src/messages/client-address.ts';
import { messageFault } from '../../../packages/adapters-http/src/messages/message-faults.ts';
import { requestIdOf } from '../../../packages/adapters-http/src/messages/request-id.ts';
import { must, type Target } from './target.ts';

const key = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const proxies = { has: (address: string) => address.startsWith('127.') || address === '::1' };

/** What callers send: header sections, one header a line, and addresses. */
export const callerTargets = {
  header: {
    seeds: [
      `Host: a.example:80\nAuthorization: Bearer ${key}\nContent-Type: application/json; charset="utf-8"\nContent-Length: 5`,
      'Forwarded: for="[2001:db8::1]:80";by=_x, for=127.0.0.1;proto=http\nX-Forwarded-For: 203.0.113.9, ::1',
      'Content-Type: application/json;a="\\"";;charset=utf-8\nContent-Encoding: identity, \nTransfer-Encoding: chunked',
      'Expect: 100-continue\nX-Request-Id: abc\nHost: [::1]:80\nForwarded: for=unknown',
    ],
    words: [
      'Bearer ',
      'for=',
      '"',
      '\\"',
      '[::1]',
      '127.0.0.1',
      ';charset=',
      'utf-8',
      'utf-16',
      ',',
      ';',
      ': ',
      '\n',
      'Authorization',
      key,
    ],
    read: (bytes) => {
      // Without white space around the values, as Node gives them (RFC 9110, section 5.5).
      const lines = bytes
        .toString('latin1')
        .split('\n')
        .map((line) => line.replace(/[ \t]+$/, '').split(/:[ \t]*(.*)/s, 2));
      const rawHeaders = lines.flatMap(([name = '', value = '']) => [name, value]);
      const headers = Object.fromEntries(lines.map(([name = '', value = '']) => [name.toLowerCase(), value]));
      const request = {
        rawHeaders,
        headers,
        httpVersionMajor: 1,
        httpVersionMinor: 1,
      } as unknown as IncomingMessage;
      const given = credentialInHeaders(rawHeaders, (text) => accessKey(text) !== undefined);
      const credentials = lines.filter(([name = '']) => name.toLowerCase() === 'authorization');
      if (typeof given === 'string')
        must(
          credentials.length === 1 &&
            credentials[0]?.[1]?.endsWith(given) === true &&
            /^cm_\w{49}$/.test(given),
          'a key that is none',
        );
      const types = lines
        .filter(([name = '']) => name.toLowerCase() === 'content-type')
        .map(([, value = '']) => value);
      // Without what stands in quotation marks.
      const type = types
        .join()
        .replace(/"(?:[^"\\]|\\.)*"/g, (text) => (/^"utf-8"$/i.test(text) ? 'utf-8' : ''));
      if (bodyHeaderFault(request, 100) === undefined)
        must(
          /^ *application\/json/i.test(type) && !/;[ \t]*charset=(?!utf-8[ \t]*(?:;|$))/i.test(type),
          `a body that is not JSON in UTF-8: ${type}`,
        );
      messageFault(request);
      must(
        /^[\x21-\x7e]{1,128}$/.test(requestIdOf(headers['x-request-id'])),
        'an identifier that breaks a line',
      );
      const address = new ConnectionClient({ remoteAddress: '127.0.0.1' }, proxies).address(rawHeaders);
      must(isIP(address) !== 0, `a client that is no address: ${address}`);
      const stranger = new ConnectionClient({ remoteAddress: '203.0.113.1' }, proxies).address(rawHeaders);
      must(stranger === '203.0.113.1', 'a stranger is believed');
    },
  },
  address: {
    seeds: [
      'https://one.example/?c={click_id}',
      'HTTP://ex\u00e4mple.com:80/a/../b#c',
      'http://[::1]:3000/|x',
      'http://0x7f.1/',
      'https://a.b.one.example./',
    ],
    words: [
      'https://',
      'http://',
      '@',
      '\\',
      ':',
      '//',
      '[',
      ']',
      '%2f',
      '%40',
      'xn--',
      '.',
      '#',
      '?',
      '\u202e',
      '\u3002',
      '\u00ad',
      'one.example',
    ],
    read: (bytes) => {
      const text = bytes.toString('utf8');
      const address = mirrorAddress(text, noDeniedHosts);
      if (typeof address !== 'string') return;
      const url = new URL(address);
      must(address === text, 'another address');
      must(
        /^https?:$/.test(url.protocol) && url.username === '' && url.password === '',
        'credentials, or another scheme',
      );
      must(
        !/[\p{Cc}\p{Z}\u202a-\u202e\u2066-\u2069\\]/u.test(text) && [...text].length <= 2048,
        'what nobody sees',
      );
      // The root has no name that could be denied; an asterisk stands for names below, and in no name.
      if (url.hostname === '.' || url.hostname.includes('*')) return;
      const denied = hostDenylist([url.hostname]);
      must('exact' in denied, `a host that cannot be denied: ${url.hostname}`);
      must(typeof mirrorAddress(text, denied) !== 'string', 'a denied host passes');
    },
  },
} satisfies Record<string, Target>;
