import { expect } from 'chai';
import { serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

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
    expect(answer.headers.get('cache-control')).to.equal('no-store, no-transform');
    expect((await fetch(`${service.ops}/`, { method: 'POST' })).status).to.equal(405);
  });
});
