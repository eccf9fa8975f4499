type Environment = Readonly<Record<string, string | undefined>>;

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplers)[number];

/** How traces are made and sent; the exporter reads the rest from the environment itself. */
export type TraceSettings = NonNullable<ReturnType<typeof traceVariables>['wanted']>;

/**
 * Reads OpenTelemetry's variables by its rules: an invalid value is reported and ignored (Environment Variable
 * Specification). Traces are on where a collector or an exporter is named; else none are `wanted`. `notes` are about
 * values that may be mistakes: one line each, without a value.
 */
export function traceVariables(environment: Environment) {
  const value = (...names: readonly string[]) => {
    const name = names.find((one) => environment[one]?.trim());
    return name === undefined ? undefined : { name, text: environment[name]?.trim() ?? '' };
  };
  const exporter = value('OTEL_TRACES_EXPORTER')?.text;
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (value('OTEL_SDK_DISABLED')?.text.toLowerCase() === 'true') return { wanted: undefined, notes: [] };
  if (exporter === 'none' || (exporter ?? endpoint) === undefined) return { wanted: undefined, notes: [] };
  if (exporter !== undefined && exporter !== 'otlp') {
    return { wanted: undefined, notes: ['OTEL_TRACES_EXPORTER is not otlp or none: nothing is traced'] };
  }
  if (endpoint && !isHttp(endpoint.text)) {
    return { wanted: undefined, notes: [`${endpoint.name} is no http or https URL: nothing is traced`] };
  }

  const notes: string[] = [];
  const number = (name: string, usual: number, minimum: number, maximum: number) => {
    const text = value(name)?.text;
    if (text === undefined) return usual;
    const read = Number(text);
    if (read >= minimum && read <= maximum && (minimum < 1 || Number.isInteger(read))) return read;
    notes.push(`${name} is not from ${minimum} to ${maximum}: ${usual} is used`);
    return usual;
  };
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol && protocol.text !== 'http/protobuf') {
    notes.push(`${protocol.name} is not http/protobuf, which is used: by default on port 4318`);
  }
  const named = value('OTEL_TRACES_SAMPLER')?.text ?? 'parentbased_always_on';
  const sampler = samplers.find((one) => one === named);
  if (!sampler) notes.push(`OTEL_TRACES_SAMPLER is none of ${samplers.join(', ')}: the fourth is used`);
  const propagators = value('OTEL_PROPAGATORS')
    ?.text.split(',')
    .map((one) => one.trim());
  const callersTraces = propagators?.includes('tracecontext') ?? true;
  if (!callersTraces && !propagators?.includes('none')) {
    notes.push('OTEL_PROPAGATORS has no tracecontext: the traces of callers are not continued');
  }
  const maxQueueSize = number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1, 100_000);
  const wanted = {
    sampler: sampler ?? ('parentbased_always_on' as const),
    /** The share of all traces, from 0 to 1. */
    ratio: number('OTEL_TRACES_SAMPLER_ARG', 1, 0, 1),
    /** Whether a caller's trace is continued. */
    callersTraces,
    /** The queue of spans to be sent: times in milliseconds, the others in spans. */
    queue: {
      scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 3_600_000),
      exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT', 30_000, 1, 3_600_000),
      maxQueueSize,
      maxExportBatchSize: Math.min(maxQueueSize, number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1, 100_000)),
    },
  };
  return { wanted, notes };
}

function isHttp(text: string): boolean {
  return ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '');
}
