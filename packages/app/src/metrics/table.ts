import type { Definitions, MetricDefinition } from './definition.ts';
import { httpDefinitions } from './http-definitions.ts';
import { issuerDefinitions } from './issuer-definitions.ts';
import { persistenceDefinitions } from './persistence-definitions.ts';
import { processDefinitions } from './process-definitions.ts';
import { serviceDefinitions } from './service-definitions.ts';

/** Every metric. */
export const metrics: Definitions = {
  ...httpDefinitions,
  ...persistenceDefinitions,
  ...issuerDefinitions,
  ...serviceDefinitions,
  ...processDefinitions,
};

/** The same as docs/reference/metrics.md shows them, in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries(metrics).map(
    ([name, definition]) =>
      `| \`${name}\` | ${definition.type} | ${unitOf(name)} | ${labelsOf(definition)} | ${meaningOf(definition)} |`,
  );
  return ['| metric | type | unit | labels | means |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** By its name, as Prometheus' conventions have it. */
export function unitOf(name: string): string {
  return /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? '';
}

function labelsOf({ labels = {} }: MetricDefinition): string {
  return Object.entries(labels)
    .map(([name, values]) => {
      const shown = typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ');
      return `\`${name}\`: ${shown}`;
    })
    .join('; ');
}

function meaningOf({ help, buckets, aggregator, only }: MetricDefinition): string {
  const several = {
    sum: '',
    first: '',
    min: ' Of several processes the least.',
    max: ' Of several processes the greatest.',
  };
  return [
    help.replaceAll('|', '\\|'),
    several[aggregator ?? 'sum'],
    buckets ? ` Buckets: ${buckets.join(', ')}.` : '',
    only ? ` Only ${only}.` : '',
  ].join('');
}
