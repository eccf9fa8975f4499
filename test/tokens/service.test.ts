import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { call } from '../support/http/caller.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService } from '../support/process/service-process.ts';
import { scrape } from '../support/prometheus/metrics.ts';
import { eventually } from '../support/promises.ts';
import { fromNow, signingKey, TestIssuer, token } from '../support/tokens/issuer.ts';

describe('a service that accepts tokens', () => {
  const data = serviceDataOf('suite', { owner: 7 });
  let issuer: TestIssuer;
  before(async () => {
    issuer = await new TestIssuer(await signingKey('first')).open();
  });
  after(() => issuer.close());
  const set = async (service: Listening, credential: string) =>
    (await call(data.one(service, { key: credential as never }))).status;
  const sets = (what: string, service: Listening, credential: string) =>
    eventually(what, async () => expect(await set(service, credential)).to.equal(200));

  it('starts without its issuer, follows its keys, and goes on when it is away; no line contains a token', async () => {
    const [first, next, unknown] = [issuer.keys[0], await signingKey('next'), await signingKey('unknown')];
    if (!first) throw new Error('no key');
    await issuer.close();
    const service = await listeningService(data.settings({ ...issuer.settings, IDENTITY: 'both' }));
    const credential = await token(first);
    expect(await set(service, credential)).to.equal(503);
    expect(await set(service, data.key)).to.equal(200);
    expect((await fetch(`${service.ops}/readyz`)).status).to.equal(200);
    const failed = await service.process.event('issuer-keys-failed');
    expect(failed).to.have.nested.property('err.cause.code', 'ECONNREFUSED');

    await issuer.open();
    await sets('the keys', service, credential);
    expect(await service.process.event('issuer-keys-fetched')).to.include({ level: 30, count: 1 });
    expect(await set(service, await token(first, { exp: fromNow(-60) }))).to.equal(401);
    await service.process.says(() => service.process.log.find((line) => line.because === 'token-expired'));
    issuer.keys = [next];
    await sets('the new key', service, await token(next));
    expect(await set(service, credential), 'the old key').to.equal(401);
    await issuer.close();
    await eventually('a failed fetch', async () =>
      expect(await set(service, await token(unknown))).to.equal(503),
    );
    expect(await set(service, await token(next))).to.equal(200);

    const told = await scrape(service);
    expect(told.value('campaign_mirror_issuer_keys_age_seconds')).to.be.within(0, 60);
    const fetches = told.by('campaign_mirror_issuer_key_fetches_total', 'result');
    expect(fetches.done).to.be.at.least(2);
    expect(fetches.failed).to.be.at.least(2);
    expect(told.text).not.to.include('client-4');
    const { output } = await command(['mirror', 'history', String(data.campaigns[0]), '--json'], {
      DATABASE_URL: data.database.url('operator'),
    });
    expect(JSON.stringify(objectsOf(output)[0])).to.include('jwt:client-4');
    const { process } = service;
    expect((await process.stop()).code).to.equal(0);
    for (const part of credential.split('.').slice(1))
      expect(process.output + process.errors).not.to.include(part);
  });

  it('IDENTITY=jwt: tokens, no keys; doctor says whether the keys can be fetched', async () => {
    const finding = async () => {
      const { output } = await command(['doctor', '--json'], data.settings(issuer.settings));
      return objectsOf(output).find(({ check }) => check === 'issuer');
    };
    const where = `the keys of the issuer at ${issuer.url.host}`;
    expect((await finding())?.finding).to.match(/ cannot be used \(\w+\)$/);
    await issuer.open();
    expect(await finding()).to.include({ state: 'ok', finding: `${where}: 1 could be fetched` });
    const service = await listeningService(data.settings({ ...issuer.settings, JWT_HOSTS_CLAIM: 'hosts' }));
    expect(await set(service, data.key)).to.equal(401);
    const setBy = async (hosts?: unknown) => set(service, await token(issuer.keys[0] as never, { hosts }));
    const tried: unknown[] = [];
    const claims = [undefined, [], '*.com,example.com', ['a.example'], '', ['*.com', 'any']];
    for (const hosts of claims) tried.push(await setBy(hosts));
    expect(tried).to.deep.equal([401, 401, 200, 422, 422, 422]);
    issuer.keys = [];
    const none = { state: 'problem', finding: `${where} cannot be used (there are none)` };
    expect(await finding()).to.include(none);
  });
});
