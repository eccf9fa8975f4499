import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { parse } from 'yaml';
import { sectionsOf } from '../support/documents/blocks.ts';
import { call, load } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { sharingServices, start } from '../support/process/service-process.ts';
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
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const ruleGroups = ruleFiles.flatMap(
  (file): { name: string; rules: Rule[] }[] => parse(readFileSync(file, 'utf8')).groups,
);
const rules = ruleGroups.flatMap((group) => group.rules);
const alertRules = rules.filter(({ alert }) => alert !== undefined);

type Expected = Readonly<{ labels: object; summary: string }>;
/** A case of test/deployment/alert-cases.yaml; its other fields are values, by the name of their series there. */
type AlertCase = Readonly<Record<string, string>> & { readonly of?: Expected };

describe('the alerts of ops/prometheus fire when they must, and only then', () => {
  const folder = folderOf('suite');

  it('promtool agrees with each case, and each alert names a section of the runbook', async () => {
    // Without a schema, each value stays the text that promtool reads.
    const { series, alerts } = parse(await read('test/deployment/alert-cases.yaml'), { schema: 'failsafe' });
    const sections = sectionsOf(await read('docs/runbook.md'));
    expect(alerts).to.have.keys(alertRules.map(({ alert }) => alert));
    const tests = alertRules.flatMap(({ alert = '', labels, annotations }) => {
      const { cases, ...usual }: Expected & { cases: AlertCase[] } = alerts[alert];
      expect(new Set(cases.map(({ fires }) => fires === undefined)), alert).to.have.property('size', 2);
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(sections, alert).to.include(annotations.runbook_url?.replace('docs/runbook.md#', ''));
      return cases.map(({ when, at, every = '1m', fires, of = usual, ...values }) => {
        const inputs = Object.entries(values).map(([name, all]) => ({ series: series[name], values: all }));
        const fired = {
          exp_labels: { job: 'campaign-mirror', ...of.labels, ...labels },
          exp_annotations: { ...annotations, summary: of.summary.replace('$value', `${fires}`) },
        };
        const alert_rule_test = [{ eval_time: at, alertname: alert, exp_alerts: fires ? [fired] : [] }];
        return {
          rule_files: ruleFiles,
          group_eval_order: ruleGroups.map(({ name }) => name),
          evaluation_interval: every,
          tests: [{ name: `${alert}: ${when}`, interval: '1m', input_series: inputs, alert_rule_test }],
        };
      });
    });
    const files = tests.map((_, number) => folder.at(`${number}.yml`));
    for (const [number, file] of files.entries()) await writeFile(file, JSON.stringify(tests[number]));
    const words = ['test', 'rules', ...files];
    const { status, stdout, stderr } = spawnSync(program('promtool'), words, { encoding: 'utf8' });
    expect(status, `${stdout}${stderr}`).to.equal(0);
  });
});

describe('a Prometheus with ops/prometheus has data for every rule and every panel of the dashboard', () => {
  const folder = folderOf('suite');
  const data = serviceDataOf('suite', { campaigns: 3 });
  let sharing: Awaited<ReturnType<typeof sharingServices>>;
  let issuer: TestIssuer;
  let api: string;
  let callers: ReturnType<typeof load>;

  /** Two processes on one port, with right and wrong calls, more than the limit allows. */
  before(async () => {
    const { admin } = data.database;
    const transfer = 'update campaign_mirror.campaigns set owner_id = 99 where id = $1';
    await admin.query(transfer, [data.campaigns[1]]);
    issuer = await new TestIssuer(await signingKey('first')).open();
    const identity = { ...issuer.settings, IDENTITY: 'both' };
    sharing = await sharingServices({ ...data.settings(identity), MAX_IN_FLIGHT: '1' });

    await cp(prometheusFolder, folder.path, { recursive: true });
    const file = folder.at('prometheus.yml');
    const targets = sharing.services.map(({ ops }) => `- ${new URL(ops).host}`).join('\n          ');
    const text = (await readFile(file, 'utf8')).replaceAll('_interval: 15s', '_interval: 500ms');
    await writeFile(file, text.replace('- 127.0.0.1:3001', targets));
    const port = await freePort();
    const storage = `--storage.tsdb.path=${folder.at('data')}`;
    const words = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, storage];
    await start(program('prometheus'), words, {}).shows('Server is ready to receive');
    api = `http://127.0.0.1:${port}/api/v1`;

    const { base } = sharing;
    const keys = [data.key, data.key, unknownKey, 'cm_malformed'];
    const calls = [...data.campaigns, 1e9].flatMap((campaign) =>
      keys.map((key) => ({ base, campaign, key })),
    );
    callers = load(calls, 6);
    await callers.after(1);
    await eventually('a refused address', async () => {
      expect(await call(data.one({ base }, { address: 'no address' }))).to.include({ status: 422 });
    });
    // PostgreSQL estimates the rows of the history from here on.
    await admin.query('analyze campaign_mirror.mirror_history');
  });
  after(async () => {
    await callers?.stop();
    await issuer?.close();
  });

  async function get<T>(what: string, parameters: Record<string, string> = {}): Promise<T> {
    const response = await fetch(`${api}/${what}?${new URLSearchParams(parameters)}`);
    const { data, error } = (await response.json()) as { data: T; error?: string };
    if (error) throw new Error(`${error}: ${Object.values(parameters)}`);
    return data;
  }
  const haveData = (queries: readonly string[]) =>
    eventually('data for every query', async () => {
      const all = [...new Set(queries)];
      type Answer = { result: { value: [time: number, value: string] }[] };
      const answers = await Promise.all(all.map((query) => get<Answer>('query', { query })));
      const hasData = answers.map(({ result }) => result.some(({ value: [, value] }) => value !== 'NaN'));
      expect(all.filter((_, at) => !hasData[at])).to.deep.equal([]);
    });

  it('every panel of the dashboard has data', async () => {
    const { panels } = JSON.parse(await read('ops/grafana-dashboard.json'));
    /** The query that Grafana makes when everything is chosen. */
    const filledIn = (query: string) => query.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.+');
    await haveData(
      panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
        targets.map(({ expr }) => filledIn(expr)),
      ),
    );
  });

  it('every rule has data, and Prometheus can evaluate it', async () => {
    /** The series of an alert, which has no data itself before it fires. */
    const series = /\b(?:\w+:[\w:]+|up|(?:campaign_mirror|process|nodejs)_\w+)\b(?:\{[^}]*\})?/g;
    const queries = rules
      .flatMap(({ expr, alert }) => (alert === undefined ? [expr] : (expr.match(series) ?? [])))
      // These services accept both keys and tokens.
      .map((query) => query.replace('identity="jwt"', 'identity="both"'));
    expect(queries).to.have.length.above(rules.length);
    await haveData(queries);
    const { groups } = await get<{ groups: { rules: { health: string }[] }[] }>('rules');
    const evaluated = groups.flatMap((group) => group.rules);
    expect(evaluated).to.have.length(rules.length);
    expect(evaluated.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });
});
