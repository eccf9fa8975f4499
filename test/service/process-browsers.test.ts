import { openapiPath } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';

const origin = 'https://tools.example';

describe('the settings for browsers, in a process', () => {
  const data = serviceDataOf('suite');
  let service: Listening;
  before(async () => {
    const more = { DOCS: 'off', CORS_ORIGINS: `http://localhost:8080, ${origin}` };
    service = await listeningService(data.settings(more));
  });

  it('DOCS=off takes the page away, and nothing else', async () => {
    for (const path of ['/docs', '/docs/', '/docs/page.js', '/docs/swagger-ui.js']) {
      const answer = await fetch(service.base + path);
      const text = `{"message":"The route ${path} could not be found."}`;
      expect([answer.status, await answer.text()]).to.deep.equal([404, text]);
    }
    const document = await fetch(service.base + openapiPath);
    expect(document.status).to.equal(200);
  });

  it('CORS_ORIGINS is heard of', async () => {
    const path = `${service.base}/public/v1/mirror/campaign/${data.campaigns[0]}/mirror`;
    const { status, headers } = await fetch(path, {
      method: 'POST',
      headers: { Origin: origin, Authorization: `Bearer ${data.key}`, 'Content-Type': 'application/json' },
      body: '{"mirror_endpoint":"https://second.example/"}',
    });
    expect(status).to.equal(200);
    expect(headers.get('access-control-allow-origin')).to.equal(origin);
  });

  it('it holds for callers only: operators are no browsers of theirs', async () => {
    const { headers } = await fetch(`${service.ops}/livez`, { headers: { Origin: origin } });
    expect(headers.get('access-control-allow-origin')).to.equal(null);
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });
});

describe('CORS_ORIGINS', () => {
  it('is a list of origins as browsers write them', () => {
    const read = readSettings({ CORS_ORIGINS: 'https://tools.example, http://localhost:8080' });
    expect(read).to.have.nested.property('settings.CORS_ORIGINS[1]', 'http://localhost:8080');
    for (const none of [
      ...['*', 'null', 'tools.example', 'https://tools.example/', 'https://TOOLS.example', 'ftp://a.example'],
      ...[
        'https://tools.example:443',
        'https://a@tools.example',
        'https://tools.example/a',
        ' ',
        'https://*.example',
      ],
    ]) {
      expect(readSettings({ CORS_ORIGINS: none }), none).not.to.have.property('settings');
    }
  });
});
