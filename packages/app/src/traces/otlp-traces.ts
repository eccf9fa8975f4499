import { randomUUID } from 'node:crypto';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import * as conventions from '@opentelemetry/semantic-conventions';
import type { Log } from '../logging/log.ts';
import { logOrigin } from '../logging/log-origin.ts';
import { version } from '../process/version.ts';
import type { TraceSettings } from '../settings/trace-variables.ts';
import { reportingExporter } from './reporting-exporter.ts';
import { samplerOf } from './samplers.ts';
import { tracedCampaigns, tracedIdentity } from './traced-ports.ts';
import { tracedRequests } from './traced-requests.ts';
import { tracedStatements } from './traced-statements.ts';
import type { Traces } from './traces.ts';

/** How long the end waits for a collector to take the last spans, in milliseconds. */
const lastSpans = 2_000;

/** Sends spans to a collector by OTLP over HTTP; spans that it does not take are lost, without any other effect. */
export function otlpTraces({ sampler, ratio, callersTraces, queue }: TraceSettings, log: Log): Traces {
  const { name, version: ours } = version();
  // It reads the other variables itself: OTEL_EXPORTER_OTLP_…
  const { count, exporter, tellOfTheEnd } = reportingExporter(new OTLPTraceExporter(), log);
  const provider = new TracerProvider({
    resource: resource(name, ours),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [count, new BatchSpanProcessor({ exporter, ...queue })],
  });
  log.info({ event: 'tracing', sampler, ratio }, 'requests are traced');
  return {
    requests: tracedRequests(provider.getTracer(name, ours), callersTraces),
    identity: tracedIdentity,
    campaigns: tracedCampaigns,
    statements: tracedStatements,
    close: async () => {
      // Spans that cannot be sent are counted, whatever the reason.
      const sent = provider.shutdown().catch(() => {});
      await within(lastSpans, sent);
      tellOfTheEnd();
    },
  };
}

/** The service and this process of it; the variables take precedence. */
function resource(name: string, version: string) {
  const { pid, worker } = logOrigin;
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource()
    .merge(
      resourceFromAttributes({
        [conventions.ATTR_SERVICE_NAME]: name,
        [conventions.ATTR_SERVICE_VERSION]: version,
        [conventions.ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        'process.pid': pid,
        ...(worker !== undefined && { 'campaign_mirror.worker': worker }),
      }),
    )
    .merge(detectResources({ detectors }));
}
