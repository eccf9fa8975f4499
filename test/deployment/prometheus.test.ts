import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { parse } from 'yaml';
import { sectionsOf } from '../support/documents/blocks.ts';
import { call, load } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { type Sharing, sharingServices, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { eventually } from '../support/promises.ts';
import { unknownKey } from '../support/secrets.ts';
import { signingKey, TestIssuer } from '../support/tokens/issuer.ts';
import { projectFolder, read } from '../support/workspace.ts';

const prometheusFolder = `${projectFolder}ops/prometheus`;
const ruleFiles = ['recording-rules.yml', 'alert-rules.yml'].map((name) => `${prometheusFolder}/${name}`);

interface Rule {
  readonly expr: string;
  readonly alert?: string;
}

interface AlertRule extends Required<Rule> {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const ruleGroups = ruleFiles.flatMap(
  (file): { name: string; rules: Rule[] }[] => parse(readFileSync(file, 'utf8')).groups,
);
const rules = ruleGroups.flatMap((group) => group.rules);
const alertRules = rules.filter((rule): rule is AlertRule => rule.alert !== undefined);

/** The series that a query reads, each with its labels: `up`, ours, and those that the others record. */
function seriesIn(query: string): string[] {
  return query.match(/\b(?:\w+:[\w:]+|up|(?:campaign_mirror|process|nodejs)_\w+)\b(?:\{[^}]*\})?/g) ?? [];
}

interface Told {
  readonly labels: object;
  readonly summary: string;
}
/** Its other fields are the series, by the names that they have in the file. */
type AlertCase = Readonly<Record<string, string>> & { readonly of?: Told };

describe('ops/prometheus, by promtool', () => {
  const folder = folderOf('suite');

  it('each alert fires where it has to, is silent where it is near to that, and leads to the runbook', async () => {
    const text = await read('test/deployment/alert-cases.yaml');
    // No number is meant: each value stays as it is written.
    const { series, alerts } = parse(text, { schema: 'failsafe' });
    const sections = sectionsOf(await read('docs/runbook.md'));
    expect(alerts).to.have.keys(alertRules.map(({ alert }) => alert));
    const tests = alertRules.flatMap(({ alert, labels, annotations }) => {
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
            rule_files: ruleFiles,
            group_eval_order: ruleGroups.map(({ name }) => name),
          },
          evaluation_interval: every,
          tests: [{ name: `${alert}: ${when}`, interval: '1m', input_series, alert_rule_test }],
        };
      });
    });
    const files = tests.map((_, number) => folder.at(`${number}.yml`));
    // JSON is YAML.
    for (const [number, file] of files.entries()) await writeFile(file, JSON.stringify(tests[number]));
    const words = ['test', 'rules', ...files];
    const { status, stdout, stderr } = spawnSync(program('promtool'), words, { encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).to.equal(0);
  });
});

const { panels, templating } = JSON.parse(await read('ops/grafana-dashboard.json'));
/** What Grafana makes of the variables of a query, with everything chosen. */
const filledIn = (query: string) => query.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.+');
const panelQueries = panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
  targets.map(({ expr }) => filledIn(expr)),
);
const variables: string[] = templating.list.flatMap(({ definition = [] }) => definition);

describe('a Prometheus as ops/prometheus has it, of two processes on one port, while callers call, rightly and wrongly, and more than is carried', () => {
  const folder = folderOf('suite');
  const data = serviceDataOf('suite', { campaigns: 3 });
  let sharing: Sharing;
  let issuer: TestIssuer;
  let api: string;
  let callers: ReturnType<typeof load>;

  before(async () => {
    const { admin } = data.database;
    await admin.query('update campaign_mirror.campaigns set owner_id = 99 where id = $1', [
      data.campaigns[1],
    ]);
    issuer = await new TestIssuer(await signingKey('first')).open();
    const identity = { ...issuer.settings, IDENTITY: 'both' };
    sharing = await sharingServices({ ...data.settings(identity), MAX_IN_FLIGHT: '1' });

    await cp(prometheusFolder, folder.path, { recursive: true });
    const file = folder.at('prometheus.yml');
    const targets = sharing.services.map(({ ops }) => `- ${new URL(ops).host}`).join('\n          ');
    // It looks twice a second.
    const text = (await readFile(file, 'utf8')).replaceAll('_interval: 15s', '_interval: 500ms');
    await writeFile(file, text.replace('- 127.0.0.1:3001', targets));
    const port = await freePort();
    const stored = `--storage.tsdb.path=${folder.at('data')}`;
    const words = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, stored];
    const prometheus = start(program('prometheus'), words, {});
    await prometheus.says(() => prometheus.errors.includes('Server is ready to receive') || undefined);
    api = `http://127.0.0.1:${port}/api/v1`;

    const { base } = sharing;
    const keys = [data.key, data.key, unknownKey, 'cm_malformed'];
    const campaigns = [...data.campaigns, 1e9];
    callers = load(
      campaigns.flatMap((campaign) => keys.map((key) => ({ base, campaign, key }))),
      6,
    );
    await callers.first;
    await eventually('a refused address', async () => {
      expect(await call(data.one({ base }, { address: 'no address' }))).to.include({ status: 422 });
    });
    // Only then PostgreSQL has an estimate of the rows of the history.
    await admin.query('analyze campaign_mirror.mirror_history');
  });
  after(async () => {
    await callers?.stop();
    await issuer?.close();
  });

  async function asked<T>(what: string, parameters: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${api}/${what}?${new URLSearchParams(parameters)}`);
    const { data, error } = (await response.json()) as { data: T; error?: string };
    if (error) throw new Error(`${error}: ${Object.values(parameters)}`);
    return data;
  }
  /** Those to which no number is the answer. */
  async function withoutData(queries: readonly string[]): Promise<string[]> {
    const all = [...new Set(queries)];
    type Answer = { result: { value: [time: number, value: string] }[] };
    const answers = await Promise.all(all.map((query) => asked<Answer>('query', { query })));
    return all.filter((_, at) => !answers[at]?.result.some(({ value: [, value] }) => value !== 'NaN'));
  }
  const haveData = (queries: readonly string[]) =>
    eventually('data for every query', async () => expect(await withoutData(queries)).to.deep.equal([]));

  it('there is data for every query of the dashboard, and there are values for its variables', async () => {
    await haveData(panelQueries);
    expect(variables).not.to.have.length(0);
    for (const variable of variables) {
      const [, series = '', label] = /^label_values\((.+), (\w+)\)$/.exec(variable) ?? [];
      const values = await asked(`label/${label}/values`, { 'match[]': filledIn(series) });
      expect(values, label).to.have.length(label === 'instance' ? 2 : 1);
    }
  });

  it('there is data for every rule, of alerts for all that they read, and each can be evaluated', async () => {
    const queries = rules
      .flatMap(({ expr, alert }) => (alert === undefined ? [expr] : seriesIn(expr)))
      // A service has one identity: this one accepts keys, too.
      .map((query) => query.replace('identity="jwt"', 'identity="both"'));
    expect(queries).to.have.length.above(rules.length);
    await haveData(queries);
    const { groups } = await asked<{ groups: { rules: { health: string }[] }[] }>('rules');
    const evaluated = groups.flatMap((group) => group.rules);
    expect(evaluated).to.have.length(rules.length);
    expect(evaluated.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });
});
