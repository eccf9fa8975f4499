import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/log.ts';
import { throttled } from '../logging/log-throttle.ts';

/** While a collector is unavailable, each batch fails; milliseconds. */
const betweenLines = 60_000;

/** Counts the spans to be sent. */
export class SpanCount implements SpanProcessor {
  ended = 0;

  onEnd(): void {
    this.ended += 1;
  }

  onStart(): void {}
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

/**
 * Reports spans that a collector did not take: the SDK's own messages are suppressed, because they may contain
 * addresses.
 */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #count: SpanCount;
  readonly #log: Log;
  readonly #failures = throttled(betweenLines);
  #sent = 0;
  #failed = 0;
  #told = 0;

  constructor(exporter: SpanExporter, count: SpanCount, log: Log) {
    this.#exporter = exporter;
    this.#count = count;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#sent += spans.length;
      else this.#lost(spans.length, result.error);
      done(result);
    });
  }

  #lost(spans: number, error: Error | undefined): void {
    this.#failed += spans;
    this.#failures(() => {
      this.#tell(this.#failed, error);
    });
  }

  /** Reports losses not reported so far: spans that failed since, found the queue full, or were not taken in time. */
  tellOfTheEnd(): void {
    this.#tell(this.#count.ended - this.#sent, undefined);
  }

  #tell(lost: number, error: Error | undefined): void {
    const count = lost - this.#told;
    if (count <= 0) return;
    this.#told = lost;
    this.#log.warn(
      { event: 'spans-lost', count, err: error },
      `${count} spans were not taken by the collector`,
    );
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }
}
