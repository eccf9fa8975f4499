import { readFileSync } from 'node:fs';
import { projectFolder } from '../workspace.ts';

interface Shown {
  readonly type: string;
  readonly datasource?: object;
}

/** ops/grafana-dashboard.json, as far as it is looked at here. */
export const dashboard: {
  readonly id: null;
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly (Shown & {
    readonly id: number;
    readonly title: string;
    readonly description?: string;
    readonly targets?: readonly {
      readonly refId: string;
      readonly expr: string;
      readonly datasource: object;
    }[];
  })[];
  readonly templating: { readonly list: readonly (Shown & { readonly definition?: string })[] };
} = JSON.parse(readFileSync(`${projectFolder}ops/grafana-dashboard.json`, 'utf8'));

/** What Grafana makes of the variables of a query, with everything chosen. */
const chosen: Readonly<Record<string, string>> = { job: '.+', instance: '.+', __rate_interval: '1m' };

function filledIn(query: string): string {
  return query.replace(/\$(\w+)/g, (_, name: string) => {
    if (!(name in chosen)) throw new Error(`no variable $${name}: ${query}`);
    return `${chosen[name]}`;
  });
}

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
