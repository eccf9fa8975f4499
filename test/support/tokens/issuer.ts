import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rules, type SigningKey } from './signing-key.ts';

/** An issuer of tokens on this machine: what it publishes, how it answers, and how often it was asked. */
export class TestIssuer {
  readonly server = createServer((request, response) => {
    this.fetches += 1;
    if (this.answer) this.answer(request, response);
    else response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
  });
  keys: readonly SigningKey[];
  fetches = 0;
  /** Undefined: with the keys. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  #port = 0;

  constructor(...keys: readonly SigningKey[]) {
    this.keys = keys;
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
