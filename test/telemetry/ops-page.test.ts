import { expect } from 'chai';
import { serviceDataOf } from '../support/process/lives.ts';
import { eventsOf, listeningService } from '../support/process/service-process.ts';

describe('contract: life — the page for operators', () => {
  const data = serviceDataOf('suite', { campaigns: 1 });

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
});
