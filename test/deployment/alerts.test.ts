import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { sectionsOf } from '../support/documents/blocks.ts';
import { folderOf } from '../support/process/lives.ts';
import { program } from '../support/programs.ts';
import * as configured from '../support/prometheus/prometheus-rules.ts';
import { read } from '../support/workspace.ts';

interface Told {
  readonly labels: object;
  readonly summary: string;
}
/** Its other fields are the series, by the names that they have in the file. */
type AlertCase = Readonly<Record<string, string>> & { readonly of?: Told };

/** What it says when it is content. */
function promtool(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program('promtool'), words, { encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).to.equal(0);
  return stdout;
}

describe('ops/prometheus, by promtool', () => {
  const folder = folderOf('suite');

  it('the configuration and the rules that it names are right', () => {
    expect(promtool('check', 'config', `${configured.prometheusFolder}/prometheus.yml`))
      .to.include('2 rule files found')
      .and.to.include(`${configured.alertRules.length} rules found`);
  });

  it('each alert fires where it has to, is silent where it is near to that, and leads to the runbook', async () => {
    const text = await read('test/deployment/alert-cases.yaml');
    // No number is meant: each value stays as it is written.
    const { series, alerts } = parse(text, { schema: 'failsafe' });
    const sections = sectionsOf(await read('docs/runbook.md'));
    expect(alerts).to.have.keys(configured.alertRules.map(({ alert }) => alert));
    const tests = configured.alertRules.flatMap(({ alert, labels, annotations }) => {
      const { cases, ...usually }: Told & { cases: AlertCase[] } = alerts[alert];
      expect(new Set(cases.map(({ fires }) => fires === undefined)), alert).to.have.property('size', 2);
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(sections, alert).to.include(annotations.runbook_url?.replace('docs/runbook.md#', ''));
      return cases.map(({ when, at, every = '1m', fires, of = usually, ...values }) => {
        const input_series = Object.entries(values).map(([name, all]) => ({
          ...{ series: series[name], values: all },
        }));
        const fired = {
          exp_labels: { job: 'campaign-mirror', ...of.labels, ...labels },
          exp_annotations: { ...annotations, summary: of.summary.replace('$value', `${fires}`) },
        };
        const alert_rule_test = [{ eval_time: at, alertname: alert, exp_alerts: fires ? [fired] : [] }];
        return {
          ...{
            rule_files: configured.ruleFiles,
            group_eval_order: configured.ruleGroups.map(({ name }) => name),
          },
          evaluation_interval: every,
          tests: [{ name: `${alert}: ${when}`, interval: '1m', input_series, alert_rule_test }],
        };
      });
    });
    const files = tests.map((_, number) => folder.at(`${number}.yml`));
    // JSON is YAML.
    for (const [number, file] of files.entries()) await writeFile(file, JSON.stringify(tests[number]));
    promtool('test', 'rules', ...files);
  });
});
