import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import type { CampaignRepository, Identity } from '@campaign-mirror/domain';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { Log } from '../log.ts';
import { logOrigin } from '../log-origin.ts';
import { version } from '../version.ts';
import { Ids } from './ids.ts';
import { LaterSpans } from './later-spans.ts';
import { samplingOf } from './samplers.ts';
import { ThreadedExporter } from './threaded-exporter.ts';
import { SpanCount, ToldExporter } from './told-exporter.ts';
import type { TraceSettings } from './trace-variables.ts';
import { TracedCampaigns, TracedIdentity } from './traced-ports.ts';
import { TracedRequests } from './traced-requests.ts';
import { TracedStatements } from './traced-statements.ts';
import type { Traces } from './traces.ts';

/** How long the end waits for a collector to take the last spans, in milliseconds. */
const lastSpans = 2_000;

/** Sends spans to a collector by OTLP over HTTP, from another thread; those that it does not take are lost, and nothing else. */
export class OtlpTraces implements Traces {
  readonly requests: TracedRequests;
  readonly #spans: LaterSpans;
  readonly #provider: TracerProvider;
  readonly #exporter: ToldExporter;

  constructor({ sampler, ratio, callersTraces, queue }: TraceSettings, log: Log) {
    const { name, version: ours } = version();
    const count = new SpanCount();
    const beginning = { sampling: samplingOf(sampler, ratio), ids: new Ids(), callersTraces };
    this.#exporter = new ToldExporter(new ThreadedExporter(), count, log);
    this.#provider = new TracerProvider({
      resource: resource(name, ours),
      // What is made was decided on before.
      sampler: new AlwaysOnSampler(),
      idGenerator: beginning.ids,
      spanProcessors: [count, new BatchSpanProcessor({ exporter: this.#exporter, ...queue })],
    });
    const tracer = this.#provider.getTracer(name, ours);
    this.#spans = new LaterSpans(tracer, beginning.ids, queue.scheduledDelayMillis);
    this.requests = new TracedRequests(this.#spans, beginning);
    log.info({ event: 'tracing', sampler, ratio }, 'requests are traced');
  }

  identity(port: Identity): Identity {
    return new TracedIdentity(port);
  }

  campaigns(port: CampaignRepository): CampaignRepository {
    return new TracedCampaigns(port);
  }

  statements(database: DatabaseAddress): TracedStatements {
    return new TracedStatements(database);
  }

  async close(): Promise<void> {
    this.#spans.make();
    // What can not be sent any more is counted, whatever the reason.
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, pause(lastSpans)]);
    this.#exporter.tellOfTheEnd();
  }
}

/** The service and this process of it; what the variables say of either wins. */
function resource(name: string, version: string) {
  const { pid, worker } = logOrigin;
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource()
    .merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: name,
        [ATTR_SERVICE_VERSION]: version,
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        'process.pid': pid,
        ...(worker !== undefined && { 'campaign_mirror.worker': worker }),
      }),
    )
    .merge(detectResources({ detectors }));
}
