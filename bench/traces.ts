import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** What traces cost: bench:compare of a service without them and one that sends them to a collector, which takes all. */
const usage = `npm run bench:traces -- [--ratio 0.01] [any option of bench:compare]

  --ratio  the part of all requests that is traced`;

const { values, tokens } = parseArgs({ strict: false, tokens: true, options: { ratio: { type: 'string' } } });
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [ratio = '0.01'] = [values.ratio].filter((value) => typeof value === 'string');
const words = process.argv.slice(2);
for (const token of tokens.toReversed()) {
  if (token.kind === 'option' && token.name === 'ratio') words.splice(token.index, token.inlineValue ? 1 : 2);
}

let bytes = 0;
const collector = createServer((request, response) => {
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
});
await once(collector.listen(0, '127.0.0.1'), 'listening');
const { port } = collector.address() as AddressInfo;

const sets = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: ratio,
};
const set = Object.entries(sets).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
const script = fileURLToPath(new URL('./compare.ts', import.meta.url));
const compare = spawn(process.execPath, [script, ...set, ...words], { stdio: 'inherit' });
const [code] = await once(compare, 'exit');
if (code === 0) console.log(`the collector took ${(bytes / 1024).toFixed(0)} KiB of spans`);
collector.closeAllConnections();
collector.close();
process.exitCode = code !== 0 || bytes > 0 ? (code ?? 1) : 1;
