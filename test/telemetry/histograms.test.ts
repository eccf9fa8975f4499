import { expect } from 'chai';
import { Histogram, Registry } from 'prom-client';
import { Buckets } from '../../packages/app/src/metrics/buckets.ts';
import { summed } from '../../packages/app/src/metrics/summed.ts';

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
