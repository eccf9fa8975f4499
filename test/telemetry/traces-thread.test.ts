import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { ThreadedExporter } from '../../packages/app/src/traces/threaded-exporter.ts';

/** A thread that runs this. */
const running = (script: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${script}`)}`,
  );
const sentAfter =
  'parentPort.on("message", ({ number }) => setImmediate(() => parentPort.postMessage({ number })));';

function someSpans(): ReadableSpan[] {
  const spans: ReadableSpan[] = [];
  const keeping: SpanProcessor = {
    onStart: () => {},
    onEnd: (span) => spans.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracer = new TracerProvider({ spanProcessors: [keeping] }).getTracer('test');
  tracer.startSpan('one').end();
  return spans;
}

describe('traces: the thread that sends them', () => {
  const spans = someSpans();
  let exporter: ThreadedExporter;
  const sent = () => new Promise<ExportResult>((resolve) => exporter.export(spans, resolve));
  afterEach(() => exporter.shutdown());

  it('tells when spans were sent, each batch for itself', async () => {
    exporter = new ThreadedExporter(running(sentAfter));
    const results = await Promise.all([sent(), sent()]);
    expect(results).to.deep.equal([{ code: ExportResultCode.SUCCESS }, { code: ExportResultCode.SUCCESS }]);
  });

  it('tells why they were not, by name and code', async () => {
    const fault = '{ name: "OTLPExporterError", message: "it refused", code: "ECONNREFUSED" }';
    exporter = new ThreadedExporter(
      running(
        `parentPort.on("message", ({ number }) => parentPort.postMessage({ number, fault: ${fault} }));`,
      ),
    );
    const { code, error } = await sent();
    expect(code).to.equal(ExportResultCode.FAILED);
    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ name: 'OTLPExporterError', message: 'it refused', code: 'ECONNREFUSED' });
  });

  it('spans that it has when it ends are lost, which is told, and the next ones have another thread', async () => {
    exporter = new ThreadedExporter(
      running(
        'parentPort.on("message", ({ number }) => { if (number % 2) throw new Error("a fault of its own"); });',
      ),
    );
    const [first, second] = await Promise.all([sent(), sent()]);
    for (const { code, error } of [first, second]) {
      expect([code, error?.message]).to.deep.equal([ExportResultCode.FAILED, 'a fault of its own']);
    }
    expect((await sent()).error?.message).to.equal('a fault of its own');
  });

  it('its memory has a bound, and to be beyond it is no end of the service', async () => {
    exporter = new ThreadedExporter(
      running(
        'parentPort.on("message", () => { const all = []; for (;;) all.push(new Array(1e5).fill({})); });',
      ),
    );
    expect((await sent()).error).to.have.property('code', 'ERR_WORKER_OUT_OF_MEMORY');
  });

  it('its end waits for what is under way', async () => {
    exporter = new ThreadedExporter(running(sentAfter));
    const results: ExportResult[] = [];
    for (let count = 0; count < 3; count++) exporter.export(spans, (result) => results.push(result));
    await exporter.shutdown();
    expect(results).to.deep.equal(Array.from({ length: 3 }, () => ({ code: ExportResultCode.SUCCESS })));
  });
});
