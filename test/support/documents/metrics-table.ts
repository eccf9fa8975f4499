import { type Metric, metrics } from '../prometheus/all-metrics.ts';

/** Every metric as docs/reference/metrics.md shows it, in Markdown. */
export function metricsTable(): string {
  const rows = Object.values(metrics).map((metric) => {
    const { name, type, labelNames } = metric;
    const labels = labelNames.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${unitOf(name)} | ${labels} | ${meaningOf(metric)} |`;
  });
  return ['| metric | type | unit | labels | means |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** By its name, as Prometheus' conventions have it. */
function unitOf(name: string): string {
  return /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1] ?? '';
}

function meaningOf({ help, upperBounds }: Metric): string {
  return `${help.replaceAll('|', '\\|')}${upperBounds ? ` Buckets: ${upperBounds.join(', ')}.` : ''}`;
}
