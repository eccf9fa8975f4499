import { expect } from 'chai';
import { alertCases } from '../support/prometheus/alert-cases.ts';
import { alertRules, prometheusFolder } from '../support/prometheus/prometheus-rules.ts';
import { promtool, tryCases } from '../support/prometheus/promtool.ts';

describe('ops/prometheus, by promtool', () => {
  it('the configuration and the rules that it names are right', async () => {
    const { ok, says } = await promtool(['check', 'config', `${prometheusFolder}/prometheus.yml`]);
    expect(ok, says).to.equal(true);
    expect(says).to.include('2 rule files found').and.to.include(`${alertRules.length} rules found`);
  });

  it('each alert has a case that fires and one that does not', () => {
    expect(alertRules).not.to.have.length(0);
    expect(Object.keys(alertCases)).to.have.members(alertRules.map(({ alert }) => alert));
    for (const [alert, cases] of Object.entries(alertCases)) {
      expect(
        cases.some(({ fires }) => fires),
        `${alert} fires`,
      ).to.equal(true);
      expect(
        cases.some(({ fires }) => !fires),
        `${alert} is silent`,
      ).to.equal(true);
    }
  });

  for (const rule of alertRules) {
    const cases = alertCases[rule.alert] ?? [];
    it(`${rule.alert}: ${cases.map(({ when, fires }) => `${fires ? '' : 'not where '}${when}`).join('; ')}`, async () => {
      const { ok, says } = await tryCases(rule, cases);
      expect(ok, says).to.equal(true);
    });
  }
});
