import type { RequestListener } from 'node:http';
import { httpServer } from '../http/http-server.ts';
import { rules, type SigningKey } from './signing-key.ts';

/** An issuer of tokens on this machine: what it publishes, how it answers, and how often it was asked. */
export class TestIssuer {
  keys: readonly SigningKey[];
  fetches = 0;
  /** Undefined: with the keys. */
  answer: RequestListener | undefined;
  #port = 0;
  close = async () => {};

  constructor(...keys: readonly SigningKey[]) {
    this.keys = keys;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/jwks.json`);
  }

  get settings() {
    return {
      IDENTITY: 'jwt',
      JWT_ISSUER: rules.issuer,
      JWT_AUDIENCE: rules.audience,
      JWT_JWKS_URL: this.url.href,
    };
  }

  async open(): Promise<this> {
    const { port, close } = await httpServer((request, response) => {
      this.fetches += 1;
      if (this.answer) this.answer(request, response);
      else response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
    }, this.#port);
    this.#port = port;
    this.close = close;
    return this;
  }
}
