import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { projectFolder } from '../workspace.ts';

export const prometheusFolder = `${projectFolder}ops/prometheus`;
export const ruleFiles = ['recording-rules.yml', 'alert-rules.yml'].map(
  (name) => `${prometheusFolder}/${name}`,
);

interface Rule {
  readonly expr: string;
  readonly alert?: string;
}

interface AlertRule extends Required<Rule> {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export const ruleGroups = ruleFiles.flatMap(
  (file): { name: string; rules: Rule[] }[] => parse(readFileSync(file, 'utf8')).groups,
);
export const rules = ruleGroups.flatMap((group) => group.rules);
export const alertRules = rules.filter((rule): rule is AlertRule => rule.alert !== undefined);

/** The series that a query reads, each with its labels: `up`, ours, and those that the others record. */
export function seriesIn(query: string): string[] {
  return query.match(/\b(?:\w+:[\w:]+|up|(?:campaign_mirror|process|nodejs)_\w+)\b(?:\{[^}]*\})?/g) ?? [];
}
