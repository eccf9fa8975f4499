import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run } from './processes/run.ts';
import { compare, comparisonLine } from './stage/comparison.ts';

const { ratio, set, ...more } = comparisonLine(
  'bench:traces',
  'Measures what traces cost: a service without them and one that sends them to a collector, which takes all.',
)
  .option('--ratio <RATIO>', 'the part of all requests that is traced', '0.01')
  .parse()
  .opts();

let bytes = 0;
const collector = createServer((request, response) => {
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
});
await once(collector.listen(0, '127.0.0.1'), 'listening');
const { port } = collector.address() as AddressInfo;
const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: ratio,
};
await run(async (cleanup) => {
  const faults = await compare({ ...more, set: { ...traces, ...set } }, cleanup);
  console.log(`the collector took ${(bytes / 1024).toFixed(0)} KiB of spans`);
  return bytes > 0 ? faults : [...faults, 'the collector took no span'];
});
