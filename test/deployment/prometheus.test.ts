import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { type Answer, call, load } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Sharing, sharingServices } from '../support/process/service-process.ts';
import { panelQueries, variableQueries } from '../support/prometheus/dashboard.ts';
import { Prometheus } from '../support/prometheus/prometheus.ts';
import { rules, seriesIn } from '../support/prometheus/prometheus-rules.ts';
import { promtool } from '../support/prometheus/promtool.ts';
import { unknownKey } from '../support/secrets.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { signingKey } from '../support/tokens/signing-key.ts';

/** So often Prometheus may look at each process until there is data for a query. */
const patience = 40;

describe('a Prometheus as ops/prometheus has it, of two processes on one port, while callers call, rightly and wrongly, and more than is carried', () => {
  after(async () => {
    await callers?.stop();
    await prometheus?.stop();
    await issuer?.close();
  });
  const data = serviceDataOf('suite', { campaigns: 3 });
  let sharing: Sharing;
  let issuer: TestIssuer;
  let prometheus: Prometheus;
  let callers: ReturnType<typeof load>;
  const others: Answer[] = [];

  before(async () => {
    const [, transferred] = data.campaigns;
    const change = (text: string) => data.database.admin.query(text);
    await change(`update campaign_mirror.campaigns set owner_id = 99 where id = ${transferred}`);
    issuer = await new TestIssuer(await signingKey('first')).open();
    const identity = { ...issuer.settings, IDENTITY: 'both' };
    sharing = await sharingServices({ ...data.settings(identity), MAX_IN_FLIGHT: '1' });
    prometheus = await Prometheus.of(sharing.services);

    const { base } = sharing;
    const keys = [data.key, data.key, unknownKey, 'cm_malformed'];
    callers = load(
      [...data.campaigns, 1e9].flatMap((campaign) => keys.map((key) => ({ base, campaign, key }))),
      6,
    );
    await callers.first;
    await eventually('a refused address', async () => {
      others.push(await call(data.one({ base }, { address: 'no address' })));
      expect(others.at(-1)).to.include({ status: 422 });
    });
    // Only then PostgreSQL has an estimate of the rows of the history.
    await data.database.admin.query('analyze campaign_mirror.mirror_history');
  });

  const hasData = async (query: string) =>
    (await prometheus.query(query)).some(({ value: [, value] }) => value !== 'NaN');
  const looks = async () => {
    const [looked] = await prometheus.query('min(count_over_time(up{job="campaign-mirror"}[1h]))');
    return Number(looked?.value[1] ?? 0);
  };
  /** Those of the queries for which there is nothing, after a while of looking. */
  async function withoutData(queries: readonly string[]): Promise<string[]> {
    const until = (await looks()) + patience;
    let left = [...new Set(queries)];
    while (left.length > 0 && (await looks()) < until) {
      const found = await Promise.all(left.map(hasData));
      left = left.filter((_, at) => !found[at]);
    }
    return left;
  }

  it('there is data for every query of the dashboard', async () => {
    expect(await withoutData(panelQueries.map(({ query }) => query))).to.deep.equal([]);
  });

  it('there are values for its variables', async () => {
    expect(variableQueries).not.to.have.length(0);
    for (const { series, label } of variableQueries) {
      const values = await prometheus.labelValues(series, label);
      expect(values, label).to.have.length(label === 'instance' ? 2 : 1);
    }
  });

  it('there is data for every rule, of alerts for all that they read, and each can be evaluated', async () => {
    const queries = rules.flatMap(({ expr, alert }) => (alert === undefined ? [expr] : seriesIn(expr)));
    expect(queries).to.have.length.above(rules.length);
    expect(await withoutData(queries)).to.deep.equal([]);
    for (const { expr } of rules) await prometheus.query(expr);
    const evaluated = await prometheus.rules();
    expect(evaluated).to.have.length(rules.length);
    expect(evaluated.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });

  it('it knows of as many answers as the callers do, once they have ended', async () => {
    const statuses = [...(await callers.stop()), ...others].map(({ status }) => String(status));
    const heard: Record<string, number> = {};
    for (const status of statuses) heard[status] = (heard[status] ?? 0) + 1;
    expect(heard).to.include.keys('200', '401', '403', '404', '422', '503');
    const looked = await looks();
    await eventually('two more looks', async () => expect(await looks()).to.be.at.least(looked + 2));
    const known = await prometheus.query(
      'sum by (status) (campaign_mirror_http_requests_total{listener="callers"}) > 0',
    );
    const told = known.map(({ metric, value: [, value] }) => [metric.status, Number(value)]);
    expect(Object.fromEntries(told)).to.deep.equal(heard);
  });

  it('promtool finds nothing wrong with what is scraped', async () => {
    const told = await fetch(`${sharing.services[0]?.ops}/metrics`);
    const text = await told.text();
    // Gauges of prom-client, which has named them as counters are named for years.
    const ours = text.replaceAll(/^(?:# \w+ )?nodejs_active_\w+_total.*\n/gm, '');
    expect(ours).not.to.equal(text);
    expect(await promtool(['check', 'metrics'], ours)).to.deep.equal({ ok: true, says: '' });
  });
});
