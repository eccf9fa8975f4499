import { define } from './definition.ts';

const only = 'with `IDENTITY=jwt` or `both`';

/** The public keys of the issuer of tokens. */
export const issuerDefinitions = define({
  campaign_mirror_issuer_key_fetches_total: {
    type: 'counter',
    help: 'Fetches of the public keys of the issuer of tokens.',
    labels: { result: ['done', 'failed'] },
    only,
  },
  campaign_mirror_issuer_keys_age_seconds: {
    type: 'gauge',
    help: 'Time since these keys were fetched; absent before the first fetch.',
    aggregator: 'max',
    only,
  },
});
