import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import type { SamplerName } from './trace-variables.ts';

/** How it is decided which traces are recorded. */
export interface Sampling {
  /** Decides on any request, as OTEL_TRACES_SAMPLER says. With `parentbased_` the caller's decision stands, if any. */
  readonly sampler: Sampler;
  /** It decides the same on a trace that begins here: recorded when its random bits, as a number, are at least these. */
  readonly leastRandom: number;
}

export function samplingOf(name: SamplerName, ratio: number): Sampling {
  const [own, isParentBased] = [name.replace('parentbased_', ''), name.startsWith('parentbased_')];
  const { sampler: root, leastRandom } = ownSampling(own, ratio);
  return { sampler: isParentBased ? new ParentBasedSampler({ root }) : root, leastRandom };
}

function ownSampling(name: string, ratio: number): Sampling {
  if (name === 'always_off')
    return { sampler: new AlwaysOffSampler(), leastRandom: Number.POSITIVE_INFINITY };
  if (name === 'always_on') return { sampler: new AlwaysOnSampler(), leastRandom: 0 };
  const leastRandom = (1 - ratio) * 2 ** 56;
  return { sampler: new RatioSampler(ratio, leastRandom), leastRandom };
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

  constructor(ratio: number, least: number) {
    this.#ratio = ratio;
    this.#least = least;
  }

  shouldSample(_context: unknown, traceId: string): SamplingResult {
    return Number.parseInt(traceId.slice(randomFrom), 16) >= this.#least ? recorded : notRecorded;
  }

  toString(): string {
    return `TraceIdRatioBased{${this.#ratio}}`;
  }
}
