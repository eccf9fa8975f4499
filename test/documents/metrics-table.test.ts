import { expect } from 'chai';
import { Histogram, Registry } from 'prom-client';
import { Buckets } from '../../packages/app/src/metrics/buckets.ts';
import { httpDefinitions } from '../../packages/app/src/metrics/http-definitions.ts';
import { summed } from '../../packages/app/src/metrics/summed.ts';
import { metrics } from '../../packages/app/src/metrics/table.ts';

describe('METRICS.md', () => {
  it('names and units are by the conventions of Prometheus', () => {
    for (const [name, { type, labels = {}, buckets }] of Object.entries(metrics)) {
      expect(name).to.match(/^(campaign_mirror|process|nodejs)(_[a-z]+)+$/);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name, 'base units').not.to.match(/_(ms|milliseconds|minutes|kb|kilobytes|megabytes|percent)\b/);
      if (/duration|delay|time/.test(name)) expect(name).to.match(/_seconds(_total)?$/);
      expect(buckets !== undefined, name).to.equal(type === 'histogram');
      for (const label of Object.keys(labels)) expect(label).to.match(/^[a-z]+$/);
    }
  });

  it('a request of a millisecond can be read off', () => {
    const { buckets } = httpDefinitions.campaign_mirror_http_request_duration_seconds;
    expect(buckets.filter((bound) => bound >= 0.0005 && bound <= 0.002)).to.have.length(3);
  });
});

describe('metrics — histograms', () => {
  const name = 'of_tests';
  const bounds = [0.001, 0.01, 1];
  const observed = [0, 0.0005, 0.001, 0.0011, 0.5, 1, 1.5, 100];
  const text = async (values: object) => {
    const told = { name, help: 'of tests', type: 'histogram', aggregator: 'sum', values } as const;
    const registry = summed([[told as never]]);
    return registry.flatMap((one) =>
      one.values.map(({ metricName, labels, value }) => [metricName, { ...labels }, value]),
    );
  };

  it('are those of prom-client', async () => {
    const buckets = new Buckets(bounds);
    const theirs = new Histogram({
      name,
      help: 'of tests',
      buckets: bounds,
      labelNames: ['kind'],
      registers: [new Registry()],
    });
    for (const value of observed) {
      buckets.observe(value);
      theirs.observe({ kind: 'a' }, value);
    }
    expect(await text(buckets.samples(name, { kind: 'a' }))).to.deep.equal(
      await text((await theirs.get()).values),
    );
  });
});
