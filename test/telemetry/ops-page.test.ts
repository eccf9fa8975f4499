import { expect } from 'chai';
import { type MetricObject, recentMoments } from '../../packages/app/src/ops-page/recent.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, listeningService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { marked, unknownKey } from '../support/secrets.ts';

interface State {
  readonly at: number;
  readonly readiness: Record<string, boolean>;
  readonly version: Record<string, string>;
  readonly times: number[];
  readonly series: Record<string, (number | null)[]>;
  readonly figures: Record<string, number>;
  readonly refusals: { because: string; status: number; times: number; last: number }[];
}

describe('contract: life — the page for operators', () => {
  const data = serviceDataOf('suite', { campaigns: 2 });

  it('shows what was answered and what was refused, and why; no key, no address, no campaign', async () => {
    const [, campaign = 0] = data.campaigns;
    await data.database.admin.query('update campaign_mirror.campaigns set owner_id = 99 where id = $1', [
      campaign,
    ]);
    const service = await listeningService(data.settings());
    const shows = (what: string, assert: (shown: State) => void) =>
      eventually(what, async () => {
        const shown = (await (await fetch(`${service.ops}/state.json`)).json()) as State;
        assert(shown);
        return shown;
      });
    await shows('a first moment', ({ times }) => expect(times).to.have.length(1));
    const set = (more: Partial<Parameters<typeof call>[0]> = {}) =>
      call(data.one(service, { address: `https://${marked}.example/`, requestId: marked, ...more }));
    for (let times = 0; times < 3; times++) await set({ campaign });
    await set({ key: unknownKey });
    expect((await set()).status).to.equal(200);
    await fetch(`${service.base}/${marked}`);
    const shown = await shows('three refusals', ({ refusals }) => expect(refusals).to.have.length(3));

    const { at, readiness, version, times, series, figures, refusals } = shown;
    const [, last] = times;
    expect(refusals).to.have.deep.members([
      { because: 'not-the-owner', status: 403, times: 3, last },
      { because: 'unknown-key', status: 401, times: 1, last },
      { because: 'route-not-found', status: 404, times: 1, last },
    ]);
    const latest = (name: string) => Number(series[name]?.at(-1));
    expect(series.requests?.[0], 'nothing to compare with').to.equal(null);
    const seconds = Number(times[1]) - Number(times[0]);
    expect(latest('requests')).to.be.closeTo(6 / seconds, 0.05);
    expect(latest('clientErrors')).to.be.closeTo(5 / seconds, 0.05);
    expect(latest('serverErrors')).to.equal(0);
    expect(latest('percentile99')).to.be.at.least(latest('median')).and.above(0);
    expect(figures).to.include({ inFlight: 0, inFlightLimit: 512, overloads: 0 });
    expect(at - Number(figures.startedAt)).to.be.within(0, 60);
    expect(version).to.include({ node: process.version });
    expect(readiness).to.include({ database: true });
    const secrets = [data.key.slice(0, 10), unknownKey, marked, 'example', '127.0.0.1'];
    for (const secret of secrets) expect(JSON.stringify(shown)).not.to.include(secret);
  });

  it('lets nothing in from elsewhere, and nothing that is written into the page', async () => {
    const service = await listeningService(data.settings());
    const answer = await fetch(`${service.ops}/`);
    const policy = String(answer.headers.get('content-security-policy'));
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("frame-ancestors 'none'").and.not.to.include('unsafe');
    const page = await answer.text();
    expect(page).not.to.match(/https?:|<style| style=| on[a-z]+=|<script>/);
    expect(page).to.match(/<noscript>.*needs JavaScript.*readyz.*metrics.*<\/noscript>/s);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect((await fetch(`${service.ops}/`, { method: 'POST' })).status).to.equal(405);
  });

  it('asks the database once, however often it is asked; where it lacks a right, the log says so once', async () => {
    const { admin } = data.database;
    const lastQuestion = async () => {
      const { rows } = await admin.query(`select max(query_start) as at from pg_stat_activity
        where datname = current_database() and application_name = 'campaign-mirror pages'`);
      return rows[0].at;
    };
    const lists = async (sql = '') => {
      const { ops, process } = await listeningService(data.settings());
      await admin.query(sql);
      const state = async () => (await fetch(`${ops}/state.json`)).json();
      const { keys, moves } = (await state()) as { keys: unknown; moves: unknown };
      const asked = await lastQuestion();
      for (let times = 0; times < 20; times++) await state();
      // A session may have ended since, and its question gone with it.
      expect(Number(await lastQuestion())).to.be.at.most(Number(asked));
      await process.stop();
      return { keys, moves, faults: eventsOf(process, 'page-failed').length };
    };
    expect(await lists()).to.deep.equal({ keys: [], moves: [], faults: 0 });
    const revoked = 'revoke select (expires_at) on campaign_mirror.access_keys from campaign_mirror_service';
    expect(await lists(revoked)).to.deep.equal({ keys: null, moves: null, faults: 1 });
  });

  it('reads latency off the buckets between two moments, as Prometheus does, and keeps ten minutes', async () => {
    let values: object[] = [];
    const name = 'campaign_mirror_http_request_duration_seconds';
    const recent = recentMoments(async () => [{ name, values }] as MetricObject[], String);
    const take = async (...counts: number[]) => {
      values = [0.001, 0.002, '+Inf'].map((le, at) => {
        return { labels: { listener: 'callers', le }, value: counts[at] };
      });
      await recent.take();
      return recent.all.at(-1)?.series;
    };
    expect(await take(0, 0, 1_000)).to.include({ median: null });
    expect(await take(50, 100, 1_100)).to.include({ median: 1, percentile99: 1.98 });
    expect(await take(50, 100, 1_100)).to.include({ median: null, percentile99: null });
    expect(await take(50, 100, 1_200)).to.include({ median: 2 });
    for (let times = 0; times < 130; times++) await take(50, 100, 1_200);
    expect(recent.all).to.have.length(121);
  });
});
