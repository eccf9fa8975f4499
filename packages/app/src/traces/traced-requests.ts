import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AnsweredRequest, RequestTrace, RequestTraces } from '@campaign-mirror/adapters-http';
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import { requestAttributes, spanName } from './request-attributes.ts';
import { Scope, scopes } from './scope.ts';
import { exceptionAttributes } from './span-errors.ts';
import { judged } from './traced-ports.ts';

const w3c = new W3CTraceContextPropagator();
const headers: TextMapGetter<IncomingHttpHeaders> = {
  get: (of, name) => of[name],
  keys: (of) => Object.keys(of),
};

/** Makes a span of each request, in the trace of its caller where that is told by `traceparent`. */
export class TracedRequests implements RequestTraces {
  readonly #tracer: Tracer;
  readonly #callersTraces: boolean;

  constructor(tracer: Tracer, callersTraces: boolean) {
    this.#tracer = tracer;
    this.#callersTraces = callersTraces;
  }

  begin(request: IncomingMessage): RequestTrace {
    const epoch = Date.now() - performance.now();
    const context = this.#callersTraces ? w3c.extract(ROOT_CONTEXT, request.headers, headers) : ROOT_CONTEXT;
    const options = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = this.#tracer.startSpan('HTTP', options, context);
    if (!span.isRecording()) return new UnrecordedRequest(span);
    return new RecordedRequest(request, new Scope(this.#tracer, context, span, epoch));
  }
}

/** One that was not sampled: its log lines name its trace, which others may have recorded. */
class UnrecordedRequest implements RequestTrace {
  readonly traceId: string;
  readonly spanId: string;

  constructor(span: Span) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  within(carryOut: () => void): void {
    // What was before on the same connection may have been recorded.
    if (scopes.getStore()) scopes.run(undefined, carryOut);
    else carryOut();
  }

  failed(_error: unknown): void {}
  answered(_request: AnsweredRequest): void {}
}

class RecordedRequest extends UnrecordedRequest {
  readonly #request: IncomingMessage;
  readonly #scope: Scope;

  constructor(request: IncomingMessage, scope: Scope) {
    super(scope.span);
    this.#request = request;
    this.#scope = scope;
  }

  override within(carryOut: () => void): void {
    scopes.run(this.#scope, carryOut);
  }

  override failed(error: unknown): void {
    this.#scope.span.addEvent('exception', exceptionAttributes(error), this.#scope.now());
  }

  override answered(answered: AnsweredRequest): void {
    const { span } = this.#scope;
    judged(this.#scope, answered.because);
    span.updateName(spanName(answered));
    span.setAttributes(requestAttributes(answered, this.#request));
    // What the caller did wrong is no error of the server's span (Semantic Conventions, HTTP spans).
    if (answered.status >= 500) {
      span.setAttribute(ATTR_ERROR_TYPE, String(answered.status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#scope.end();
  }
}
