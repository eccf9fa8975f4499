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
  /** Attributes whose values callers choose, and may have filled with a secret by mistake: they are not sent. */
  const withoutValues = {
    'url.path': undefined,
    'url.query': undefined,
    'user_agent.original': undefined,
    'server.address': undefined,
    'server.port': undefined,
    'client.address': undefined,
  };

  process.env.OTEL_SERVICE_NAME ??= 'campaign-mirror';
  startNodeSdk({
    // Milder messages would be written to standard output, where the log is.
    logLevel: process.env.OTEL_LOG_LEVEL ?? 'warn',
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        // Health checks, metrics and pages are not traced.
        ignoreIncomingRequestHook: ({ url }) => !url?.startsWith('/public/'),
        startIncomingSpanHook: () => withoutValues,
      }),
      // Spans of the middleware around the router would add ten to each trace, and say nothing.
      new KoaInstrumentation({ ignoreLayersType: [KoaLayerType.MIDDLEWARE] }),
      // Statements for which no request waits are not traced. Values of parameters are not sent by default.
      new PgInstrumentation({
        requireParentSpan: true,
        requestHook: (span) => {
          // The message of a status is the database's, which may quote a value.
          const setStatus = span.setStatus.bind(span);
          span.setStatus = ({ code }) => setStatus({ code });
        },
      }),
    ],
    // Exceptions may quote what a caller sent; the log has them, without values.
    spanLimits: { eventCountLimit: 0 },
    metricReaders: [],
    logRecordProcessors: [],
  });
  // The instrumentations patch what is loaded by `require`; an `import` then gets the patched module, because all three are
  // CommonJS. The driver's entry for `import` loads its parts by `require` anyway.
  createRequire(import.meta.url)('node:http');
  createRequire(import.meta.resolve('@campaign-mirror/adapters-http'))('koa');
}
