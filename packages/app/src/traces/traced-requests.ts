import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AnsweredRequest, RequestTrace, RequestTraces } from '@campaign-mirror/adapters-http';
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { Ids } from './ids.ts';
import { requestAttributes, spanName } from './request-attributes.ts';
import type { Sampling } from './samplers.ts';
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

/** Whether a trace that begins here is recorded, and what it is called. */
export interface Beginning {
  readonly sampling: Sampling;
  readonly ids: Ids;
  /** Whether the trace of a caller is gone on with. */
  readonly callersTraces: boolean;
}

/** Makes a span of each request that is recorded, in the trace of its caller where that is told by `traceparent`. */
export class TracedRequests implements RequestTraces {
  readonly #tracer: Tracer;
  readonly #beginning: Beginning;

  constructor(tracer: Tracer, beginning: Beginning) {
    this.#tracer = tracer;
    this.#beginning = beginning;
  }

  /**
   * Decides before the SDK does: most requests are not recorded, and a span, or the asking, is dear for those. One that
   * neither is, nor is part of a caller's trace, is in none: nobody else would know of that.
   */
  begin(request: IncomingMessage): RequestTrace | undefined {
    const { sampling, ids, callersTraces } = this.#beginning;
    const context =
      callersTraces && request.headers.traceparent !== undefined
        ? w3c.extract(ROOT_CONTEXT, request.headers, headers)
        : ROOT_CONTEXT;
    const caller = context === ROOT_CONTEXT ? undefined : trace.getSpanContext(context);
    if (!caller) return ids.draw(sampling.leastRandom) ? this.#record(request, context) : undefined;

    const { traceId } = caller;
    const { decision } = sampling.sampler.shouldSample(context, traceId, unnamed, SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.NOT_RECORD
      ? new UnrecordedRequest(traceId)
      : this.#record(request, context);
  }

  #record(request: IncomingMessage, context: Context): RecordedRequest {
    const epoch = Date.now() - performance.now();
    const options = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = this.#tracer.startSpan(unnamed, options, context);
    return new RecordedRequest(request, new Scope(this.#tracer, context, span, epoch));
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
