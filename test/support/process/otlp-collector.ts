import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span in OTLP's form of JSON, as far as tests look at it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Nanoseconds. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface Message {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** A collector of traces by OTLP over HTTP, which keeps what it is sent. */
export class OtlpCollector {
  /** Of bodies in JSON. */
  readonly spans: CollectedSpan[] = [];
  readonly bodies: string[] = [];
  /** Takes what it is sent, and never answers. */
  isSilent = false;
  readonly endpoint: string;
  readonly #server: Server;
  #heard: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const body = await text(request.setEncoding('latin1'));
      if (request.url !== '/v1/traces') return void response.writeHead(404).end();
      this.bodies.push(body);
      if (request.headers['content-type'] === 'application/json') {
        const { resourceSpans }: Message = JSON.parse(body);
        for (const { scopeSpans } of resourceSpans)
          this.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
      }
      for (const wake of this.#heard.splice(0)) wake();
      if (!this.isSilent) response.writeHead(200).end();
    });
  }

  static async open(): Promise<OtlpCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OtlpCollector(server);
  }

  /** All spans of a trace, when the one for the request, which ends last, is there. */
  async trace(traceId: unknown): Promise<CollectedSpan[]> {
    for (;;) {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      if (spans.some(({ name }) => name.startsWith('POST'))) return spans;
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
