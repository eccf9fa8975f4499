import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span in OTLP's form of JSON, as far as tests look at it; times in nanoseconds. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}
interface Message {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: CollectedSpan[] }[] }[];
}

/** A collector of traces by OTLP over HTTP, which keeps what it is sent. */
export class OtlpCollector {
  /** Of bodies in JSON. */
  readonly spans: CollectedSpan[] = [];
  readonly bodies: string[] = [];
  /** Takes what it is sent, and never answers. */
  isSilent = false;
  endpoint = '';
  readonly #server = createServer(async (request, response) => {
    const body = await text(request.setEncoding('latin1'));
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    this.bodies.push(body);
    if (request.headers['content-type'] === 'application/json') {
      const { resourceSpans }: Message = JSON.parse(body);
      const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
      this.spans.push(...scopes.flatMap(({ spans }) => spans));
    }
    this.#server.emit('heard');
    if (!this.isSilent) response.end();
  });

  static async open(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    await once(collector.#server.listen(0, '127.0.0.1'), 'listening');
    collector.endpoint = `http://127.0.0.1:${(collector.#server.address() as AddressInfo).port}`;
    return collector;
  }

  /** All spans of a trace, when the one for the request, which ends last, is there. */
  async trace(traceId: unknown): Promise<CollectedSpan[]> {
    for (; ; await once(this.#server, 'heard')) {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      if (spans.some(({ name }) => name.startsWith('POST'))) return spans;
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
