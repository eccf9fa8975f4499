import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const service = join(import.meta.dirname, '..', 'main.ts');
const [, program = ''] = process.argv;

/*
 * OpenTelemetry's instrumentations, for `node --import`. It reads the OTEL_* variables by itself (docs/how-to/trace-requests.md).
 * In NODE_OPTIONS it may reach programs that start beside the service, such as a health check: they load nothing.
 */
if (existsSync(program) && realpathSync(program) === service) {
  const { startNodeSdk } = await import('@opentelemetry/sdk-node');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { KoaInstrumentation, KoaLayerType } = await import('@opentelemetry/instrumentation-koa');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  /** What callers choose, and may have filled with a secret by mistake. */
  const chosenByCallers = 'url.path url.query user_agent.original server.address server.port client.address';
  const unsaid = Object.fromEntries(chosenByCallers.split(' ').map((name) => [name, undefined]));

  process.env.OTEL_SERVICE_NAME ??= 'campaign-mirror';
  startNodeSdk({
    // Milder messages would be written to standard output, where the log is.
    logLevel: process.env.OTEL_LOG_LEVEL ?? 'warn',
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        // Health checks, metrics and pages are no calls.
        ignoreIncomingRequestHook: ({ url }) => !url?.startsWith('/public/'),
        startIncomingSpanHook: () => unsaid,
      }),
      // The middleware around the router would have ten more spans, and nothing to say.
      new KoaInstrumentation({ ignoreLayersType: [KoaLayerType.MIDDLEWARE] }),
      // Not the statements that no request waits for. Values of parameters are not sent by default.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
    // Exceptions may quote what a caller sent; the log has them, without values.
    spanLimits: { eventCountLimit: 0 },
    metricReaders: [],
    logRecordProcessors: [],
  });
  // The instrumentations see what is loaded by `require`; an `import` then gets the same, as all three are CommonJS. The
  // driver's entry for `import` loads its parts by `require`.
  createRequire(import.meta.url)('node:http');
  createRequire(import.meta.resolve('@campaign-mirror/adapters-http'))('koa');
}
