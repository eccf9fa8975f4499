import type { MetricDefinition } from '../../../packages/app/src/metrics/definition.ts';
import { metrics } from '../../../packages/app/src/metrics/table.ts';

/** Every metric as docs/reference/metrics.md shows it, in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries(metrics).map(
    ([name, definition]) =>
      `| \`${name}\` | ${definition.type} | ${unitOf(name)} | ${labelsOf(definition)} | ${meaningOf(definition)} |`,
  );
  return ['| metric | type | unit | labels | means |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** By its name, as Prometheus' conventions have it. */
function unitOf(name: string): string {
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
