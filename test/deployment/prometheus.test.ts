import { cp, readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, call, load } from '../support/http/caller.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { type Sharing, sharingServices, start } from '../support/process/service-process.ts';
import { program } from '../support/programs.ts';
import { panelQueries, variableQueries } from '../support/prometheus/dashboard.ts';
import { prometheusFolder, rules, seriesIn } from '../support/prometheus/prometheus-rules.ts';
import { unknownKey } from '../support/secrets.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { signingKey } from '../support/tokens/signing-key.ts';

/** So often Prometheus may look at each process until there is data for a query. */
const patience = 40;

describe('a Prometheus as ops/prometheus has it, of two processes on one port, while callers call, rightly and wrongly, and more than is carried', () => {
  const folder = folderOf('suite');
  const data = serviceDataOf('suite', { campaigns: 3 });
  let sharing: Sharing;
  let issuer: TestIssuer;
  let api: string;
  let callers: ReturnType<typeof load>;
  const others: Answer[] = [];

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
    const calls = [...data.campaigns, 1e9].flatMap((campaign) =>
      keys.map((key) => ({ base, campaign, key })),
    );
    callers = load(calls, 6);
    await callers.first;
    await eventually('a refused address', async () => {
      others.push(await call(data.one({ base }, { address: 'no address' })));
      expect(others.at(-1)).to.include({ status: 422 });
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
  interface Sample {
    readonly metric: Readonly<Record<string, string>>;
    readonly value: readonly [time: number, value: string];
  }
  const query = async (text: string) => (await asked<{ result: Sample[] }>('query', { query: text })).result;
  const looks = async () => {
    const [looked] = await query('min(count_over_time(up{job="campaign-mirror"}[1h]))');
    return Number(looked?.value[1] ?? 0);
  };
  /** Those of the queries for which there is nothing, after a while of looking. */
  async function withoutData(queries: readonly string[]): Promise<string[]> {
    const until = (await looks()) + patience;
    let left = [...new Set(queries)];
    while (left.length > 0 && (await looks()) < until) {
      const results = await Promise.all(left.map(query));
      left = left.filter((_, at) => !results[at]?.some(({ value: [, value] }) => value !== 'NaN'));
    }
    return left;
  }

  it('there is data for every query of the dashboard, and there are values for its variables', async () => {
    expect(await withoutData(panelQueries)).to.deep.equal([]);
    expect(variableQueries).not.to.have.length(0);
    for (const { series, label } of variableQueries) {
      const values = await asked(`label/${label}/values`, { 'match[]': series });
      expect(values, label).to.have.length(label === 'instance' ? 2 : 1);
    }
  });

  it('there is data for every rule, of alerts for all that they read, and each can be evaluated', async () => {
    const queries = rules
      .flatMap(({ expr, alert }) => (alert === undefined ? [expr] : seriesIn(expr)))
      // A service has one identity: this one accepts keys, too.
      .map((query) => query.replace('identity="jwt"', 'identity="both"'));
    expect(queries).to.have.length.above(rules.length);
    expect(await withoutData(queries)).to.deep.equal([]);
    const { groups } = await asked<{ groups: { rules: { health: string }[] }[] }>('rules');
    const evaluated = groups.flatMap((group) => group.rules);
    expect(evaluated).to.have.length(rules.length);
    expect(evaluated.filter(({ health }) => health !== 'ok')).to.deep.equal([]);
  });

  it('it knows of as many answers as the callers do, once they have ended', async () => {
    const heard: Record<string, number> = {};
    for (const { status } of [...(await callers.stop()), ...others])
      heard[String(status)] = (heard[String(status)] ?? 0) + 1;
    expect(heard).to.include.keys('200', '401', '403', '404', '422', '503');
    const looked = await looks();
    await eventually('two more looks', async () => expect(await looks()).to.be.at.least(looked + 2));
    const known = await query(
      'sum by (status) (campaign_mirror_http_requests_total{listener="callers"}) > 0',
    );
    const told = known.map(({ metric, value: [, value] }) => [metric.status, Number(value)]);
    expect(Object.fromEntries(told)).to.deep.equal(heard);
  });
});
