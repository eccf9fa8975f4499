import protobuf from 'protobufjs';

type Field = readonly [name: string, id: number, type: string, rule?: 'repeated'];

/** The messages of OTLP for traces (opentelemetry-proto 1, trace, common and resource), but what nobody sends here. */
const messages: Readonly<Record<string, readonly Field[]>> = {
  ExportTraceServiceRequest: [['resourceSpans', 1, 'ResourceSpans', 'repeated']],
  ResourceSpans: [
    ['resource', 1, 'Resource'],
    ['scopeSpans', 2, 'ScopeSpans', 'repeated'],
  ],
  Resource: [['attributes', 1, 'KeyValue', 'repeated']],
  ScopeSpans: [
    ['scope', 1, 'InstrumentationScope'],
    ['spans', 2, 'Span', 'repeated'],
  ],
  InstrumentationScope: [
    ['name', 1, 'string'],
    ['version', 2, 'string'],
  ],
  Span: [
    ['traceId', 1, 'bytes'],
    ['spanId', 2, 'bytes'],
    ['traceState', 3, 'string'],
    ['parentSpanId', 4, 'bytes'],
    ['name', 5, 'string'],
    ['kind', 6, 'uint32'],
    ['startTimeUnixNano', 7, 'fixed64'],
    ['endTimeUnixNano', 8, 'fixed64'],
    ['attributes', 9, 'KeyValue', 'repeated'],
    ['events', 11, 'Event', 'repeated'],
    ['links', 13, 'Link', 'repeated'],
    ['status', 15, 'Status'],
  ],
  Event: [
    ['name', 2, 'string'],
    ['attributes', 3, 'KeyValue', 'repeated'],
  ],
  Link: [
    ['traceId', 1, 'bytes'],
    ['spanId', 2, 'bytes'],
  ],
  Status: [
    ['message', 2, 'string'],
    ['code', 3, 'uint32'],
  ],
  KeyValue: [
    ['key', 1, 'string'],
    ['value', 2, 'AnyValue'],
  ],
  AnyValue: [
    ['stringValue', 1, 'string'],
    ['boolValue', 2, 'bool'],
    ['intValue', 3, 'int64'],
    ['doubleValue', 4, 'double'],
  ],
};

const root = new protobuf.Root();
for (const [name, fields] of Object.entries(messages)) {
  const type = new protobuf.Type(name);
  for (const [field, id, of, rule] of fields) type.add(new protobuf.Field(field, id, of, rule));
  if (name === 'AnyValue')
    type.add(
      new protobuf.OneOf(
        'value',
        fields.map(([field]) => field),
      ),
    );
  root.add(type);
}
const request = root.lookupType('ExportTraceServiceRequest');

const kinds = ['unspecified', 'internal', 'server', 'client'] as const;

type Value = string | number | boolean;
interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, Value>>;
}
interface Ids {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
}
interface Message {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly EncodedSpan[] }[];
  }[];
}
interface EncodedSpan extends Ids {
  readonly parentSpanId: Uint8Array;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly KeyValue[] }[];
  readonly links: readonly Ids[];
  readonly status: { readonly code: number; readonly message: string } | null;
}

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, Value>> }[];
  /** The identifiers of the spans. */
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly statusMessage: string;
  readonly resource: Readonly<Record<string, Value>>;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** @throws Error for what is no such message */
export function spansIn(bytes: Uint8Array): CollectedSpan[] {
  const options = { longs: String, defaults: true, arrays: true };
  const { resourceSpans } = request.toObject(request.decode(bytes), options) as unknown as Message;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, status, ...more }) => ({
        traceId: hex(traceId),
        spanId: hex(spanId),
        parentSpanId: hex(parentSpanId),
        traceState: more.traceState,
        name: more.name,
        kind: kinds[more.kind] ?? 'unspecified',
        start: BigInt(startTimeUnixNano),
        end: BigInt(endTimeUnixNano),
        attributes: record(more.attributes),
        events: more.events.map(({ name, attributes }) => ({ name, attributes: record(attributes) })),
        links: more.links.map((link) => hex(link.spanId)),
        isError: status?.code === 2,
        statusMessage: status?.message ?? '',
        resource: record(resource.attributes),
      })),
    ),
  );
}

function record(attributes: readonly KeyValue[]): Record<string, Value> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[kind, one] = ['', '']] = Object.entries(value);
      return [key, kind === 'intValue' ? Number(one) : one];
    }),
  );
}
