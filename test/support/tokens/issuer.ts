import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JSONWebKeySet } from 'jose';
import { rules, type SigningKey } from './signing-key.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Ways to answer otherwise than with the keys. */
export const otherAnswers = {
  redirect: (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
  'server error': (_, response) => response.writeHead(500).end('{"keys":[]}'),
  'no JSON': (_, response) => response.end('<html>'),
  'no keys': (_, response) => response.end('{"error":"none"}'),
  'too much': (_, response) => response.end(`{"keys":[],"more":"${'x'.repeat(300_000)}"}`),
  'too much, without a length': (_, response) => {
    for (let part = 0; part < 10; part++) response.write(' '.repeat(30_000));
    response.end('{"keys":[]}');
  },
} satisfies Record<string, Answer>;

/** An issuer of tokens on this machine: what it publishes, how it answers, and how often it was asked. */
export class TestIssuer {
  readonly server = createServer((request, response) => {
    this.fetches += 1;
    const { answer } = this;
    if (!answer) return void response.end(JSON.stringify(this.published()));
    answer(request, response);
  });
  keys: readonly SigningKey[];
  fetches = 0;
  /** Undefined: with the keys. */
  answer: Answer | undefined;
  #port = 0;

  constructor(...keys: readonly SigningKey[]) {
    this.keys = keys;
  }

  published(): JSONWebKeySet {
    return { keys: this.keys.map(({ jwk }) => jwk) };
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/jwks.json`);
  }

  /** Of a service that accepts its tokens. */
  get settings() {
    return {
      IDENTITY: 'jwt',
      JWT_ISSUER: rules.issuer,
      JWT_AUDIENCE: rules.audience,
      JWT_JWKS_URL: this.url.href,
    };
  }

  /** On the port that it had before, if it had one. */
  async open(): Promise<this> {
    this.server.listen(this.#port, '127.0.0.1');
    await once(this.server, 'listening');
    this.#port = (this.server.address() as AddressInfo).port;
    return this;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
