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

/** Makes a span of each request that is recorded, in the trace of its caller where that is told by `traceparent`. */
export class TracedRequests implements RequestTraces {
  readonly #tracer: Tracer;
  readonly #callersTraces: boolean;

  /** `callersTraces`: whether the trace of a caller is gone on with. */
  constructor(tracer: Tracer, callersTraces: boolean) {
    this.#tracer = tracer;
    this.#callersTraces = callersTraces;
  }

  /** One that neither is recorded, nor is part of a caller's trace, is in none: nobody else would know of that. */
  begin(request: IncomingMessage): RequestTrace | undefined {
    const context = this.#callersTraces ? w3c.extract(ROOT_CONTEXT, request.headers, headers) : ROOT_CONTEXT;
    const epoch = Date.now() - performance.now();
    const beginning = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = this.#tracer.startSpan(unnamed, beginning, context);
    if (span.isRecording()) return new RecordedRequest(request, new Scope(this.#tracer, span, epoch));
    const caller = trace.getSpanContext(context);
    return caller && new UnrecordedRequest(caller.traceId);
  }

  without(carryOut: () => void): void {
    if (scopes.getStore()) scopes.run(undefined, carryOut);
    else carryOut();
  }
}

/** One whose log lines name the trace of its caller, who may have recorded it. */
class UnrecordedRequest implements RequestTrace {
  readonly traceId: string;

  constructor(traceId: string) {
    this.traceId = traceId;
  }

  within(carryOut: () => void): void {
    scopes.run(undefined, carryOut);
  }

  failed(_error: unknown): void {}
  answered(_request: AnsweredRequest): void {}
}

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
    // What the caller did wrong is no error of the server's span (Semantic Conventions, HTTP spans).
    if (answered.status >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, String(answered.status)).setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#scope.end();
  }
}
