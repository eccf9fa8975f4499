import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';

/** While a collector is unavailable, each batch fails; milliseconds. */
const betweenLines = 60_000;

/**
 * Reports spans that a collector did not take: the SDK's own messages are suppressed, because they may contain
 * addresses. `count` counts the spans to be sent.
 */
export function reportingExporter(to: SpanExporter, log: Log) {
  const failures = throttled(betweenLines);
  let [ended, sent, failed, told] = [0, 0, 0, 0];
  const tell = (lost: number, error: Error | undefined) => {
    const count = lost - told;
    if (count <= 0) return;
    told = lost;
    log.warn({ event: 'spans-lost', count, err: error }, `${count} spans were not taken by the collector`);
  };
  const count: SpanProcessor = {
    onStart: () => {},
    onEnd: () => {
      ended += 1;
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const exporter: SpanExporter = {
    export: (spans, done) =>
      to.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) sent += spans.length;
        else {
          failed += spans.length;
          failures(() => tell(failed, result.error));
        }
        done(result);
      }),
    shutdown: () => to.shutdown(),
    forceFlush: async () => to.forceFlush?.(),
  };
  /** Reports losses not reported so far: spans that failed since, found the queue full, or were not taken in time. */
  const tellOfTheEnd = () => tell(ended - sent, undefined);
  return { count, exporter, tellOfTheEnd };
}
