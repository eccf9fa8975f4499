import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../programs.ts';
import type { AlertCase } from './alert-case.ts';
import { type AlertRule, ruleFiles, ruleGroups } from './prometheus-rules.ts';

/** What promtool says, and whether it is content. `input`: what it reads, if anything. */
export function promtool(words: readonly string[], input = ''): Promise<{ ok: boolean; says: string }> {
  return new Promise((resolve) => {
    const child = execFile(program('promtool'), words, (error, output, errors) =>
      resolve({ ok: !error, says: `${output}${errors}` }),
    );
    child.stdin?.end(input);
  });
}

/** Has promtool try the cases of an alert. */
export async function tryCases(rule: AlertRule, cases: readonly AlertCase[]) {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-alerts-'));
  const files = cases.map((_, number) => join(folder, `${number}.yml`));
  // JSON is YAML.
  await Promise.all(
    cases.map((one, number) => writeFile(files[number] ?? '', JSON.stringify(asTest(rule, one)))),
  );
  const result = await promtool(['test', 'rules', ...files]);
  await rm(folder, { recursive: true });
  return result;
}

function asTest({ alert, labels, annotations }: AlertRule, { when, series, at, every, fires }: AlertCase) {
  const told = fires && {
    exp_labels: { ...fires.labels, ...labels },
    exp_annotations: { ...annotations, summary: fires.summary },
  };
  return {
    rule_files: ruleFiles,
    evaluation_interval: every ?? '1m',
    group_eval_order: ruleGroups.map(({ name }) => name),
    tests: [
      {
        name: when,
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: told ? [told] : [] }],
      },
    ],
  };
}
