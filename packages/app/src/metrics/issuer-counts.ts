import { plain } from './definition.ts';
import { counter, samplesOf } from './instruments.ts';
import { issuerDefinitions } from './issuer-definitions.ts';
import type { Meters } from './meters.ts';

/** Counts the fetches, and tells the age of the keys. `age`: in milliseconds, infinite before the first fetch. */
export function issuerCounts(meters: Meters) {
  const fetches = counter(issuerDefinitions, 'campaign_mirror_issuer_key_fetches_total');
  return {
    begin: (age: () => number): void => {
      for (const result of ['done', 'failed']) fetches.inc({ result }, 0);
      meters.add(async () => ({
        ...(await samplesOf([fetches])),
        ...(Number.isFinite(age()) && { campaign_mirror_issuer_keys_age_seconds: plain(age() / 1_000) }),
      }));
    },
    fetched: () => fetches.inc({ result: 'done' }),
    failed: () => fetches.inc({ result: 'failed' }),
  };
}
