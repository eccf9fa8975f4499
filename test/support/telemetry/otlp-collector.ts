import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type CollectedSpan, spansIn } from './otlp-types.ts';

/** What it says of what it refuses. */
export const collectorsWords = 'MARKED-WORDS';

/** What collectors do with what they are sent. */
type Behaviour = 'takes' | 'refuses' | 'is silent';

/** A collector of traces: it speaks OTLP over HTTP, and keeps what it is sent. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** What came, as bytes. */
  readonly bodies: Buffer[] = [];
  headers: IncomingHttpHeaders = {};
  behaviour: Behaviour = 'takes';
  readonly endpoint: string;
  readonly #server: Server;
  #heard: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const body = await buffer(request).catch(() => undefined);
      if (!body || request.url !== '/v1/traces') return void response.writeHead(404).end();
      this.headers = request.headers;
      this.bodies.push(body);
      this.spans.push(...spansIn(body));
      for (const wake of this.#heard.splice(0)) wake();
      if (this.behaviour === 'takes')
        response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
      if (this.behaviour === 'refuses') response.writeHead(400, 'MARKED-REFUSAL').end(collectorsWords);
    });
  }

  static async open(): Promise<OtlpCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OtlpCollector(server);
  }

  /** Resolves with what is looked for as soon as it is there. */
  async has<T>(look: (spans: readonly CollectedSpan[]) => T | undefined): Promise<T> {
    for (;;) {
      const seen = look(this.spans);
      if (seen !== undefined) return seen;
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }

  /** All spans of a request, when the last one of them, its own, is there. */
  async trace(requestId: string): Promise<CollectedSpan[]> {
    const { traceId } = await this.has((spans) =>
      spans.find(({ attributes }) => attributes['campaign_mirror.request_id'] === requestId),
    );
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
