import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { SamplerName } from '../settings/trace-variables.ts';

/** The sampler named by OTEL_TRACES_SAMPLER. With `parentbased_`, the caller's decision has precedence. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = rootSampler(name, ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: SamplerName, ratio: number): Sampler {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
}
