import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { sectionsOf } from '../support/documents/blocks.ts';
import { allSeries } from '../support/prometheus/metrics.ts';
import { alertRules, metricsOf, recorded, rules } from '../support/prometheus/prometheus-rules.ts';
import { projectFolder } from '../support/workspace.ts';

describe('ops/prometheus', () => {
  it('reads only metrics of docs/reference/metrics.md, what it records itself, and up', () => {
    const known = [...allSeries, ...recorded, 'up'];
    expect(rules).to.have.length.above(alertRules.length);
    const read = new Set(rules.flatMap(({ expr }) => metricsOf(expr)));
    expect([...read].filter((name) => !known.includes(name))).to.deep.equal([]);
    expect([...recorded].sort()).to.deep.equal([...new Set(recorded)].sort());
  });

  it('each alert has a severity, says what is seen, and leads to a section of the runbook', () => {
    const sections = sectionsOf(readFileSync(`${projectFolder}docs/runbook.md`, 'utf8'));
    for (const { alert, labels, annotations } of alertRules) {
      expect(alert).to.match(/^CampaignMirror[A-Z][A-Za-z]+$/);
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.summary, alert).to.match(/\S/);
      const [, section] = /^docs\/runbook\.md#(.+)$/.exec(annotations.runbook_url ?? '') ?? [];
      expect(sections, alert).to.include(section);
    }
  });
});
