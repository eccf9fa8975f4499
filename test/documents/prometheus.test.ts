import { expect } from 'chai';
import { sectionsOf } from '../support/documents/blocks.ts';
import { panelQueries, variableQueries } from '../support/prometheus/dashboard.ts';
import { allSeries } from '../support/prometheus/metrics.ts';
import { alertRules, metricsOf, recorded, rules } from '../support/prometheus/prometheus-rules.ts';
import { read } from '../support/workspace.ts';

const known = [...allSeries, ...recorded, 'up'];
const unknownIn = (queries: readonly string[]) => {
  expect(queries).not.to.have.length(0);
  return queries.flatMap(metricsOf).filter((name) => !known.includes(name));
};

describe('what ops/ has for Prometheus and Grafana', () => {
  it('rules and dashboard ask only for metrics of the service and for what the rules record', () => {
    expect(unknownIn(rules.map(({ expr }) => expr))).to.deep.equal([]);
    expect(unknownIn(panelQueries)).to.deep.equal([]);
    expect(unknownIn(variableQueries.map(({ series }) => series))).to.deep.equal([]);
    expect(new Set(recorded).size, 'each is recorded once').to.equal(recorded.length);
  });

  it('each alert has a severity and a summary, and leads to a section of the runbook', async () => {
    const sections = sectionsOf(await read('docs/runbook.md'));
    for (const { alert, labels, annotations } of alertRules) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.summary, alert).to.match(/\S/);
      const [, section] = /^docs\/runbook\.md#(.+)$/.exec(annotations.runbook_url ?? '') ?? [];
      expect(sections, alert).to.include(section);
    }
  });
});
