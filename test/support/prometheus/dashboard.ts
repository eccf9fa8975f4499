import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

type Shown<More> = Readonly<{ type: string; datasource?: object } & More>;

/** ops/grafana-dashboard.json, as far as it is looked at here. */
export const dashboard: Readonly<{
  id: null;
  uid: string;
  title: string;
  schemaVersion: number;
  panels: Shown<{
    id: number;
    title: string;
    description?: string;
    targets?: { refId: string; expr: string; datasource: object }[];
  }>[];
  templating: { list: Shown<{ definition?: string }>[] };
}> = JSON.parse(readFileSync(`${projectFolder}ops/grafana-dashboard.json`, 'utf8'));

/** What Grafana makes of the variables of a query, with everything chosen. */
const chosen: Readonly<Record<string, string>> = { job: '.+', instance: '.+', __rate_interval: '1m' };
const filledIn = (query: string) => query.replace(/\$(\w+)/g, (whole, name) => chosen[name] ?? whole);

/** Every query of the panels, with the panel's title. */
export const panelQueries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, query: filledIn(expr) })),
);

/** The series that the variables take their values from: `label_values(series, label)`. */
export const variableQueries = dashboard.templating.list.flatMap(({ definition }) => {
  if (definition === undefined) return [];
  const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
  if (series === undefined || label === undefined) throw new Error(`not understood: ${definition}`);
  return [{ series: filledIn(series), label }];
});
