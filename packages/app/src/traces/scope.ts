import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import { errorType } from './span-errors.ts';

/** What the use case judges for one request, and when it was read, in Unix milliseconds. */
export interface Facts {
  callerAt?: number | undefined;
  campaignAt?: number | undefined;
}

/**
 * A running span of a recorded trace. All spans of a request take their times from one clock: otherwise one could begin
 * up to a millisecond before its parent.
 */
export class Scope {
  readonly span: Span;
  readonly facts: Facts;
  readonly #tracer: Tracer;
  readonly #epoch: number;

  /** `epoch`: when `performance.now()` was 0, in Unix milliseconds. */
  constructor(tracer: Tracer, span: Span, epoch: number, facts: Facts = {}) {
    this.#tracer = tracer;
    this.#epoch = epoch;
    this.span = span;
    this.facts = facts;
  }

  /** Unix milliseconds, with fractions. */
  now(): number {
    return this.#epoch + performance.now();
  }

  /** Begins a span within this one. */
  begin(name: string, options: SpanOptions = {}): Scope {
    const within = trace.setSpan(ROOT_CONTEXT, this.span);
    const span = this.#tracer.startSpan(name, { startTime: this.now(), ...options }, within);
    return new Scope(this.#tracer, span, this.#epoch, this.facts);
  }

  end(error?: unknown, at = this.now()): void {
    if (error !== undefined) {
      this.span.setAttribute(ATTR_ERROR_TYPE, errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end(at);
  }

  /** Makes a call a span within this one, whatever its result; `seen` takes its value and the time. */
  async call<Result>(
    name: string,
    make: () => Promise<Result>,
    seen: (result: Result, span: Span, at: number) => void,
  ): Promise<Result> {
    const scope = this.begin(name);
    try {
      const result = await scopes.run(scope, make);
      const at = this.now();
      seen(result, scope.span, at);
      scope.end(undefined, at);
      return result;
    } catch (error) {
      scope.end(error);
      throw error;
    }
  }
}

/** The current span; undefined where none is recorded. */
export const scopes = new AsyncLocalStorage<Scope | undefined>();
