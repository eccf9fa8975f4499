import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Middleware } from '@campaign-mirror/adapters-http';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import { type RequestTrace, requestTrace } from '../process/request-trace.ts';
import { requestAttributes, spanName } from './request-attributes.ts';
import { Scope, scopes } from './scope.ts';
import { exceptionAttributes } from './span-errors.ts';
import { judged } from './traced-ports.ts';

/** Until its route and method are known. */
const unnamed = 'HTTP';
const w3c = new W3CTraceContextPropagator();
const headers: TextMapGetter<IncomingHttpHeaders> = {
  get: (of, name) => of[name],
  keys: (of) => Object.keys(of),
};

/**
 * Makes a span of each recorded request, in the caller's trace where `traceparent` names one and `callersTraces` are
 * continued. A request that is neither recorded nor part of a caller's trace has none: no other system would know it.
 */
export const tracedRequests =
  (tracer: Tracer, callersTraces: boolean): Middleware =>
  (context, next) => {
    const { req: request } = context;
    const around = callersTraces ? w3c.extract(ROOT_CONTEXT, request.headers, headers) : ROOT_CONTEXT;
    const epoch = Date.now() - performance.now();
    const beginning = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = tracer.startSpan(unnamed, beginning, around);
    if (span.isRecording()) {
      const scope = new Scope(tracer, span, epoch);
      return requestTrace.run(recorded(request, scope), () => scopes.run(scope, next));
    }
    // Its log lines name the caller's trace, which may be recorded elsewhere. Neither joins an earlier one's.
    const caller = trace.getSpanContext(around);
    const named = caller && { traceId: caller.traceId, failed: () => {}, answered: () => {} };
    return requestTrace.run(named, () => scopes.run(undefined, next));
  };

function recorded(request: IncomingMessage, scope: Scope): RequestTrace {
  const { span } = scope;
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    failed: (error) => void span.addEvent('exception', exceptionAttributes(error), scope.now()),
    answered: (answered) => {
      judged(scope, answered.because);
      span.updateName(spanName(answered)).setAttributes(requestAttributes(answered, request));
      // A caller's mistake is no error of the server's span (Semantic Conventions, HTTP spans).
      if (answered.status >= 500) {
        span.setAttribute(ATTR_ERROR_TYPE, String(answered.status)).setStatus({ code: SpanStatusCode.ERROR });
      }
      scope.end();
    },
  };
}
