import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

/** As far as it is looked at here. */
interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}
const { panels, templating }: Dashboard = JSON.parse(
  readFileSync(`${projectFolder}ops/grafana-dashboard.json`, 'utf8'),
);

/** What Grafana makes of the variables of a query, with everything chosen. */
const chosen: Readonly<Record<string, string>> = { job: '.+', instance: '.+', __rate_interval: '1m' };
const filledIn = (query: string) => query.replace(/\$(\w+)/g, (whole, name) => chosen[name] ?? whole);

/** Every query of the panels. */
export const panelQueries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filledIn(expr)));

/** The series that the variables take their values from: `label_values(series, label)`. */
export const variableQueries = templating.list.flatMap(({ definition }) => {
  if (definition === undefined) return [];
  const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
  if (series === undefined || label === undefined) throw new Error(`not understood: ${definition}`);
  return [{ series: filledIn(series), label }];
});
