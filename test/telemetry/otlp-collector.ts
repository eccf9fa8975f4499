import { EventEmitter, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { httpServer } from '../support/http/http-server.ts';

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

export type OtlpCollector = Awaited<ReturnType<typeof otlpCollector>>;

/** A collector of traces by OTLP over HTTP, which keeps what it is sent. */
export async function otlpCollector() {
  const news = new EventEmitter();
  const { url, close } = await httpServer(async (request, response) => {
    const body = await text(request.setEncoding('latin1'));
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    collector.bodies.push(body);
    if (request.headers['content-type'] === 'application/json') {
      const { resourceSpans }: Message = JSON.parse(body);
      const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
      collector.spans.push(...scopes.flatMap(({ spans }) => spans));
    }
    news.emit('heard');
    if (!collector.isSilent) response.end();
  });
  const collector = {
    endpoint: url,
    /** Of bodies in JSON. */
    spans: [] as CollectedSpan[],
    bodies: [] as string[],
    /** Takes what it is sent, and never answers. */
    isSilent: false,
    /** All spans of a trace, when the one for the request, which ends last, is there. */
    trace: async (traceId: unknown): Promise<CollectedSpan[]> => {
      for (; ; await once(news, 'heard')) {
        const spans = collector.spans.filter((span) => span.traceId === traceId);
        if (spans.some(({ name }) => name.startsWith('POST'))) return spans;
      }
    },
    close,
  };
  return collector;
}
