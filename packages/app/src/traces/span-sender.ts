import { parentPort } from 'node:worker_threads';
import { ExportResultCode } from '@opentelemetry/core';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';

/** Spans as OTLP has them. */
export interface ToSend {
  readonly number: number;
  readonly bytes: Uint8Array;
}

export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
}

/** They were taken, or the fault for which they were not. */
export interface Sent {
  readonly number: number;
  readonly fault?: Fault;
}

/** The thread that sends spans, by the SDK's own means and as its variables say: OTEL_EXPORTER_OTLP_… */
const delegate = createOtlpHttpExportDelegate<Uint8Array, undefined>(
  convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', { 'Content-Type': 'application/x-protobuf' }),
  // They come as they are to be sent. What a collector says of some that it did not take, the SDK would only log.
  { serializeRequest: (bytes) => bytes, deserializeResponse: () => undefined },
  'otlp_http_span_exporter',
  { name: 'span', countItems: () => 0 },
  undefined,
);

parentPort?.on('message', ({ number, bytes }: ToSend) => {
  delegate.export(bytes, ({ code, error }) => {
    const sent: Sent = code === ExportResultCode.SUCCESS ? { number } : { number, fault: faultOf(error) };
    parentPort?.postMessage(sent);
  });
});

/** What an Error keeps of itself on its way between threads is not its code. */
function faultOf(error: Error | undefined): Fault {
  const { name = 'Error', message = 'the collector refused', code } = (error ?? {}) as NodeJS.ErrnoException;
  return { name, message, code };
}
