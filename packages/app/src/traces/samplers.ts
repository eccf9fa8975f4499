import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { SamplerName } from './trace-variables.ts';

/** The sampler that OTEL_TRACES_SAMPLER names. With `parentbased_` the caller's decision stands, where it has one. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const [own, isParentBased] = [name.replace('parentbased_', ''), name.startsWith('parentbased_')];
  const root = ownSampler(own, ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function ownSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
