import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { scrape } from '../support/prometheus/metrics.ts';
import { eventually } from '../support/promises.ts';
import { fromNow, type SigningKey, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

describe('docs: signed tokens: a service that accepts tokens follows the keys of their issuer', () => {
  const data = serviceDataOf('suite', { owner: 7 });
  let first: SigningKey;
  let issuer: TestIssuer;
  before(async () => {
    first = await signingKey('first');
    issuer = await new TestIssuer(first).open();
  });
  after(() => issuer.close());
  const set = async (service: Listening, credential: string) =>
    (await call(data.one(service, { key: credential as never }))).status;
  const sets = (what: string, service: Listening, credential: string) =>
    eventually(what, async () => expect(await set(service, credential)).to.equal(200));

  it('it starts without the issuer, and works on while the issuer is away; no line has a token', async () => {
    const [next, unknown] = [await signingKey('next'), await signingKey('unknown')];
    await issuer.close();
    const service = await listeningService(data.settings({ ...issuer.settings, IDENTITY: 'both' }));
    const { process, ops } = service;
    const credential = await token(first);
    expect([await set(service, credential), await set(service, data.key)]).to.deep.equal([503, 200]);
    expect((await fetch(`${ops}/readyz`)).status).to.equal(200);
    await process.event('issuer-keys-failed');

    await issuer.open();
    await sets('the keys', service, credential);
    await process.event('issuer-keys-fetched');
    expect(await set(service, await token(first, { exp: fromNow(-60) }))).to.equal(401);
    await process.says(() => process.log.find((line) => line.because === 'token-expired'));
    issuer.keys = [next];
    await sets('the new key', service, await token(next));
    expect(await set(service, credential), 'the old key').to.equal(401);
    await issuer.close();
    await eventually('a failed fetch', async () =>
      expect(await set(service, await token(unknown))).to.equal(503),
    );
    expect(await set(service, await token(next))).to.equal(200);

    const shown = await scrape(service);
    const fetches = shown.by('campaign_mirror_issuer_key_fetches_total', 'result');
    expect(fetches).to.have.all.keys('done', 'failed');
    expect(shown.text).not.to.include('client-4');
    const { output } = await command(['mirror', 'history', String(data.campaigns[0]), '--json'], {
      DATABASE_URL: data.database.url('operator'),
    });
    expect(JSON.stringify(objectsOf(output)[0])).to.include('jwt:client-4');
    expect((await process.stop()).code).to.equal(0);
    for (const part of credential.split('.').slice(1))
      expect(process.output + process.errors).not.to.include(part);
  });

  it('IDENTITY=jwt refuses access keys, and JWT_HOSTS_CLAIM limits the hosts; doctor checks the keys', async () => {
    const finding = async () => {
      const { output } = await command(['doctor', '--json'], data.settings(issuer.settings));
      return objectsOf(output).find(({ check }) => check === 'issuer');
    };
    expect(await finding()).to.include({ state: 'problem' });
    issuer.keys = [first];
    await issuer.open();
    expect(await finding()).to.include({ state: 'ok' });
    const service = await listeningService(data.settings({ ...issuer.settings, JWT_HOSTS_CLAIM: 'hosts' }));
    expect(await set(service, data.key)).to.equal(401);
    for (const [hosts, status] of [
      [undefined, 401],
      ['*.com,example.com', 200],
      [['a.example'], 422],
    ] as const)
      expect(await set(service, await token(first, { hosts }))).to.equal(status);
  });
});
