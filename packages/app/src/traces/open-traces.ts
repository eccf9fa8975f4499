import type { Log } from '../logging/log.ts';
import { traceVariables } from '../settings/trace-variables.ts';
import type { Traces } from './traces.ts';

/** Undefined where the `OTEL_*` variables request none: then OpenTelemetry is not loaded. */
export async function openTraces(environment: NodeJS.ProcessEnv, log: Log): Promise<Traces | undefined> {
  const { wanted } = traceVariables(environment);
  if (!wanted) return undefined;
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(wanted, log);
}
