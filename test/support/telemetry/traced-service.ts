import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ServiceData, serviceData } from '../process/service-data.ts';
import { endAll, type Listening, type LogLine, listeningService } from '../process/service-process.ts';
import { OtlpCollector } from './otlp-collector.ts';
import type { CollectedSpan } from './otlp-types.ts';

type Settings = Readonly<Record<string, string>>;

/** Data, a collector, and services that send it their spans. */
export class TracedService {
  readonly collector: OtlpCollector;
  readonly data: ServiceData;

  private constructor(collector: OtlpCollector, data: ServiceData) {
    this.collector = collector;
    this.data = data;
  }

  static async open(): Promise<TracedService> {
    return new TracedService(await OtlpCollector.open(), await serviceData({ campaigns: 4 }));
  }

  async close(): Promise<void> {
    await endAll();
    await this.collector.close();
    await this.data.database.drop();
  }

  start(more: Settings = {}): Promise<Listening> {
    return listeningService({
      ...this.data.settings(), // A machine that is busy with other things is no overload.
      MAX_EVENT_LOOP_DELAY: '60s',
      OTEL_EXPORTER_OTLP_ENDPOINT: this.collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      ...more,
    });
  }

  /** Asks for a mirror to be set, as it is said, and otherwise well. */
  async ask({ base }: Listening, asked: Asked): Promise<number | undefined> {
    const { requestId, campaign = this.data.campaigns[0], key = this.data.key, headers = {} } = asked;
    const sent = request(`${base}${asked.path ?? `/public/v1/mirror/campaign/${campaign}/mirror`}`, {
      method: 'POST',
      // A connection of its own, for whichever worker's turn it is.
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
        ...headers,
      },
    });
    sent.end(asked.body ?? JSON.stringify({ mirror_endpoint: 'https://second.example/' }));
    const [response] = await once(sent, 'response');
    await text(response);
    return response.statusCode;
  }

  /** What the collector got of it. */
  trace(requestId: string): Promise<CollectedSpan[]> {
    return this.collector.trace(requestId);
  }
}

export interface Asked {
  readonly requestId: string;
  readonly campaign?: number;
  readonly key?: string;
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The log lines of a request, when its last one is there. */
export function linesOf({ process }: Listening, requestId: string): Promise<LogLine[]> {
  return process.says(() => {
    const lines = process.log.filter((line) => line.requestId === requestId);
    return lines.some(({ status }) => status !== undefined) ? lines : undefined;
  });
}

export function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1 || !found[0]) {
    throw new Error(`${found.length} spans are named ${name}: ${spans.map((span) => span.name)}`);
  }
  return found[0];
}
