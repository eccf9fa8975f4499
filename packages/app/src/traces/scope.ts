import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, type Link, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions';
import type { LaterSpan, LaterSpans } from './later-spans.ts';
import { errorType } from './span-errors.ts';

/** What a judgement of the use case rests on, of one request: when each was there, in Unix milliseconds. */
export interface Facts {
  callerAt?: number | undefined;
  campaignAt?: number | undefined;
}

interface SpanOptions {
  readonly kind?: SpanKind;
  readonly startTime?: number;
  readonly attributes?: Attributes;
  readonly links?: Link[];
}

/**
 * A span that is under way, of a trace that is recorded. All spans of a request have their times from one clock: each
 * taken by itself would begin up to a millisecond before what it is a part of.
 */
export class Scope {
  readonly span: LaterSpan;
  readonly facts: Facts;
  readonly #spans: LaterSpans;
  readonly #epoch: number;

  /** `epoch`: when `performance.now()` was 0, in Unix milliseconds. */
  constructor(spans: LaterSpans, span: LaterSpan, epoch: number, facts: Facts = {}) {
    this.#spans = spans;
    this.#epoch = epoch;
    this.span = span;
    this.facts = facts;
  }

  /** Unix milliseconds, with fractions. */
  now(): number {
    return this.#epoch + performance.now();
  }

  /** Begins a span within this one. */
  begin(
    name: string,
    { kind = SpanKind.INTERNAL, startTime = this.now(), ...more }: SpanOptions = {},
  ): Scope {
    const { context } = this.span;
    const span = this.#spans.begin(name, { kind, startTime, ...more }, context.traceId, context);
    return new Scope(this.#spans, span, this.#epoch, this.facts);
  }

  end(error?: unknown, at = this.now()): void {
    if (error !== undefined) {
      this.span.set(ATTR_ERROR_TYPE, errorType(error));
      this.span.status = { code: SpanStatusCode.ERROR };
    }
    this.span.end(at);
  }

  /** Makes a call a span within this one, however it ends; `seen` takes what it resolves with, and when. */
  async call<Result>(
    name: string,
    make: () => Promise<Result>,
    seen: (result: Result, span: LaterSpan, at: number) => void,
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

/** The span that is under way where this is asked; undefined where none is recorded. */
export const scopes = new AsyncLocalStorage<Scope | undefined>();
