import {
  type Attributes,
  type AttributeValue,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Ids } from './ids.ts';

/** So many are made at once, at most: who comes then waits for them. */
const together = 256;
/** How long a span may wait for others, in milliseconds. */
const longest = 250;

export interface Beginning {
  readonly kind: SpanKind;
  /** In Unix milliseconds, as all times of spans. */
  readonly startTime: number;
  readonly attributes?: Attributes | undefined;
  readonly links?: readonly Link[] | undefined;
}

/**
 * Notes what becomes of spans while requests are carried out, and has the SDK make them afterwards, many at a time:
 * where one request in a hundred is recorded, its spans cost several times as much in the midst of the others.
 */
export class LaterSpans {
  readonly #tracer: Tracer;
  readonly #ids: Ids;
  readonly #delay: number;
  #ended: LaterSpan[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `tracer`: the SDK's, whose identifiers are those of `ids`; `delay`: how long it gathers spans itself, in milliseconds. */
  constructor(tracer: Tracer, ids: Ids, delay: number) {
    this.#tracer = tracer;
    this.#ids = ids;
    this.#delay = Math.min(delay, longest);
  }

  /** Begins one that is recorded, within the parent, or as the first one of its trace. */
  begin(name: string, beginning: Beginning, traceId: string, parent?: SpanContext): LaterSpan {
    const own = {
      traceId,
      spanId: this.#ids.generateSpanId(),
      traceFlags: TraceFlags.SAMPLED,
      ...(parent?.traceState && { traceState: parent.traceState }),
    };
    return new LaterSpan(name, beginning, parent, own, (span) => this.#take(span));
  }

  /** Makes those that have ended. */
  make(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ended = this.#ended;
    this.#ended = [];
    for (const span of ended) span.make(this.#tracer, this.#ids);
  }

  #take(span: LaterSpan): void {
    this.#ended.push(span);
    if (this.#ended.length >= together) this.make();
    else this.#timer ??= setTimeout(() => this.make(), this.#delay).unref();
  }
}

/** What there is to tell of a span, until it is made. */
export class LaterSpan {
  name: string;
  status: SpanStatus | undefined;
  /** The identifiers that it will have. */
  readonly context: SpanContext;
  readonly #beginning: Beginning;
  readonly #parent: SpanContext | undefined;
  readonly #attributes: Attributes;
  readonly #links: Link[];
  readonly #events: { name: string; attributes: Attributes; at: number }[] = [];
  readonly #onEnd: (span: LaterSpan) => void;
  #endedAt = 0;

  constructor(
    name: string,
    beginning: Beginning,
    parent: SpanContext | undefined,
    context: SpanContext,
    onEnd: (span: LaterSpan) => void,
  ) {
    this.name = name;
    this.context = context;
    this.#beginning = beginning;
    this.#parent = parent;
    this.#attributes = { ...beginning.attributes };
    this.#links = [...(beginning.links ?? [])];
    this.#onEnd = onEnd;
  }

  set(name: string, value: AttributeValue | undefined): void {
    this.#attributes[name] = value;
  }

  setAll(attributes: Attributes): void {
    Object.assign(this.#attributes, attributes);
  }

  event(name: string, attributes: Attributes, at: number): void {
    this.#events.push({ name, attributes, at });
  }

  link(context: SpanContext): void {
    this.#links.push({ context });
  }

  end(at: number): void {
    this.#endedAt = at;
    this.#onEnd(this);
  }

  make(tracer: Tracer, ids: Ids): void {
    const { kind, startTime } = this.#beginning;
    const within = this.#parent ? trace.setSpanContext(ROOT_CONTEXT, this.#parent) : ROOT_CONTEXT;
    const options = { kind, startTime, attributes: this.#attributes, links: this.#links };
    const span = ids.give(this.context, () => tracer.startSpan(this.name, options, within));
    for (const { name, attributes, at } of this.#events) span.addEvent(name, attributes, at);
    if (this.status) span.setStatus(this.status);
    span.end(this.#endedAt);
  }
}
