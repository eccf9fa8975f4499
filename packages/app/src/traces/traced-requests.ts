import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AnsweredRequest, RequestTrace, RequestTraces } from '@campaign-mirror/adapters-http';
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

/** Makes a span of each recorded request, in the caller's trace where `traceparent` names one. */
export class TracedRequests implements RequestTraces {
  readonly #tracer: Tracer;
  readonly #callersTraces: boolean;

  /** `callersTraces`: whether a caller's trace is continued. */
  constructor(tracer: Tracer, callersTraces: boolean) {
    this.#tracer = tracer;
    this.#callersTraces = callersTraces;
  }

  /** A request that is neither recorded nor part of a caller's trace has none: no other system would know it. */
  begin(request: IncomingMessage): RequestTrace | undefined {
    const context = this.#callersTraces ? w3c.extract(ROOT_CONTEXT, request.headers, headers) : ROOT_CONTEXT;
    const epoch = Date.now() - performance.now();
    const beginning = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = this.#tracer.startSpan(unnamed, beginning, context);
    if (span.isRecording()) return new RecordedRequest(request, new Scope(this.#tracer, span, epoch));
    const caller = trace.getSpanContext(context);
    return caller && unrecorded(caller.traceId);
  }

  without(carryOut: () => void): void {
    if (scopes.getStore()) scopes.run(undefined, carryOut);
    else carryOut();
  }
}

/** A request whose log lines name the caller's trace, which may be recorded elsewhere. */
const unrecorded = (traceId: string): RequestTrace => ({
  traceId,
  within: (carryOut) => scopes.run(undefined, carryOut),
  failed: () => {},
  answered: () => {},
});

class RecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly #request: IncomingMessage;
  readonly #scope: Scope;

  constructor(request: IncomingMessage, scope: Scope) {
    const { traceId, spanId } = scope.span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.#request = request;
    this.#scope = scope;
  }

  within(carryOut: () => void): void {
    scopes.run(this.#scope, carryOut);
  }

  failed(error: unknown): void {
    this.#scope.span.addEvent('exception', exceptionAttributes(error), this.#scope.now());
  }

  answered(answered: AnsweredRequest): void {
    const { span } = this.#scope;
    judged(this.#scope, answered.because);
    span.updateName(spanName(answered)).setAttributes(requestAttributes(answered, this.#request));
    // A caller's mistake is no error of the server's span (Semantic Conventions, HTTP spans).
    if (answered.status >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, String(answered.status)).setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#scope.end();
  }
}
