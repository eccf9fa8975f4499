import protobuf from 'protobufjs';
import { projectFolder } from '../workspace.ts';

const root = protobuf.loadSync(`${projectFolder}test/support/telemetry/otlp-traces.proto`);
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
