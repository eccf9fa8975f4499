import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
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
  return name === 'traceidratio' ? new RatioSampler(ratio) : new AlwaysOnSampler();
}

const recorded = { decision: SamplingDecision.RECORD_AND_SAMPLED };
const notRecorded = { decision: SamplingDecision.NOT_RECORD };
/** Of a trace identifier, the digits that are random by W3C Trace Context, level 2: the last 56 bits. */
const randomFrom = 18;

/**
 * Records this part of all traces, the same ones as others who go by the specification: those whose random bits are
 * high enough (TraceIdRatioBased). The SDK's goes by other bits, and reads all of them, digit by digit, twice.
 */
class RatioSampler implements Sampler {
  readonly #ratio: number;
  readonly #least: number;

  constructor(ratio: number) {
    this.#ratio = ratio;
    this.#least = (1 - ratio) * 2 ** 56;
  }

  shouldSample(_context: unknown, traceId: string): SamplingResult {
    return Number.parseInt(traceId.slice(randomFrom), 16) >= this.#least ? recorded : notRecorded;
  }

  toString(): string {
    return `TraceIdRatioBased{${this.#ratio}}`;
  }
}
