import { expect } from 'chai';
import { dashboard, panelQueries, variableQueries } from '../support/prometheus/dashboard.ts';
import { allSeries } from '../support/prometheus/metrics.ts';
import { metricsOf, recorded } from '../support/prometheus/prometheus-rules.ts';

const { panels, templating } = dashboard;
const chosen = { type: 'prometheus', uid: '${' + 'datasource}' };

describe('ops/grafana-dashboard.json', () => {
  it('asks only for metrics of docs/reference/metrics.md and for what the rules record', () => {
    const known = [...allSeries, ...recorded];
    const queries = [
      ...panelQueries.map(({ query }) => query),
      ...variableQueries.map(({ series }) => series),
    ];
    expect(queries).to.have.length.above(panels.length);
    expect([...new Set(queries.flatMap(metricsOf))].filter((name) => !known.includes(name))).to.deep.equal(
      [],
    );
  });

  it('takes everything from the data source that is chosen', () => {
    expect(templating.list[0]).to.deep.include({
      name: 'datasource',
      type: 'datasource',
      query: 'prometheus',
    });
    const sources = [
      ...templating.list.slice(1),
      ...panels.filter(({ type }) => type !== 'row'),
      ...panels.flatMap(({ targets = [] }) => targets),
    ].map(({ datasource }) => datasource);
    for (const source of sources) expect(source).to.deep.equal(chosen);
  });

  it('each panel says what it shows, and has a query and an identifier of its own', () => {
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    for (const { type, title, description, targets = [] } of panels) {
      expect(title).not.to.equal('');
      if (type === 'row') continue;
      expect(description, title).to.match(/\.$/);
      expect(targets, title).not.to.have.length(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).to.equal(targets.length);
    }
  });

  it('can be imported anywhere: it has no number of its own', () => {
    const { id, uid, title, schemaVersion } = dashboard;
    expect({ id, uid, title }).to.deep.equal({ id: null, uid: 'campaign-mirror', title: 'Campaign Mirror' });
    expect(schemaVersion).to.be.a('number');
  });
});
