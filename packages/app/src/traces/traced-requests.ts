import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AnsweredRequest, RequestTrace, RequestTraces } from '@campaign-mirror/adapters-http';
import {
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { Ids } from './ids.ts';
import type { LaterSpans } from './later-spans.ts';
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
  readonly #spans: LaterSpans;
  readonly #beginning: Beginning;

  constructor(spans: LaterSpans, beginning: Beginning) {
    this.#spans = spans;
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
    if (!caller) {
      const traceId = ids.draw(sampling.leastRandom);
      return traceId === undefined ? undefined : this.#record(request, traceId);
    }
    const { traceId } = caller;
    const { decision } = sampling.sampler.shouldSample(context, traceId, unnamed, SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.NOT_RECORD
      ? new UnrecordedRequest(traceId)
      : this.#record(request, traceId, caller);
  }

  #record(request: IncomingMessage, traceId: string, caller?: SpanContext): RecordedRequest {
    const epoch = Date.now() - performance.now();
    const beginning = { kind: SpanKind.SERVER, startTime: epoch + performance.now() };
    const span = this.#spans.begin(unnamed, beginning, traceId, caller);
    return new RecordedRequest(request, new Scope(this.#spans, span, epoch));
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
    const { traceId, spanId } = scope.span.context;
    this.traceId = traceId;
    this.spanId = spanId;
    this.#request = request;
    this.#scope = scope;
  }

  within(carryOut: () => void): void {
    scopes.run(this.#scope, carryOut);
  }

  failed(error: unknown): void {
    this.#scope.span.event('exception', exceptionAttributes(error), this.#scope.now());
  }

  answered(answered: AnsweredRequest): void {
    const { span } = this.#scope;
    judged(this.#scope, answered.because);
    span.name = spanName(answered);
    span.setAll(requestAttributes(answered, this.#request));
    // What the caller did wrong is no error of the server's span (Semantic Conventions, HTTP spans).
    if (answered.status >= 500) {
      span.set(ATTR_ERROR_TYPE, String(answered.status));
      span.status = { code: SpanStatusCode.ERROR };
    }
    this.#scope.end();
  }
}
