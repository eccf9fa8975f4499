import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { objectsOf } from '../support/commands/commands-on.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http/caller.ts';
import { type ServiceData, serviceData } from '../support/process/service-data.ts';
import { endAll, type Listening, listeningService } from '../support/process/service-process.ts';
import { Exposition } from '../support/prometheus/metrics.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

describe('a service that accepts tokens', () => {
  let key: SigningKey;
  let issuer: TestIssuer;
  let data: ServiceData;

  before(async () => {
    key = await signingKey('first');
    data = await serviceData({ owner: 7 });
  });
  beforeEach(async () => {
    issuer = await new TestIssuer(key).open();
  });
  afterEach(async () => {
    await endAll();
    await issuer.close();
  });
  after(() => data.database.drop());

  const serving = (more?: Record<string, string>) =>
    listeningService(data.settings({ ...issuer.settings, ...more }));
  const set = async (service: Listening, credential: string) =>
    (await call(data.one(service, { key: credential as never }))).status;
  const scrape = async ({ ops }: Listening) => new Exposition(await (await fetch(`${ops}/metrics`)).text());
  const fetches = async (service: Listening) =>
    (await scrape(service)).by('campaign_mirror_issuer_key_fetches_total', 'result');

  it('IDENTITY=jwt: tokens, no keys; the history names the subject; no line contains a token', async () => {
    const service = await serving();
    const credential = await token(key);
    expect(await set(service, credential)).to.equal(200);
    expect(await set(service, data.key)).to.equal(401);
    expect(await set(service, await token(key, { aud: 'other' }))).to.equal(401);
    const { output } = await command(['mirror', 'history', String(data.campaigns[0]), '--json'], {
      DATABASE_URL: data.database.url('operator'),
    });
    expect(JSON.stringify(objectsOf(output)[0])).to.include('jwt:client-4');
    expect(await service.process.event('issuer-keys-fetched')).to.include({ level: 30, count: 1 });
    const told = await scrape(service);
    expect(told.value('campaign_mirror_issuer_keys_age_seconds')).to.be.within(0, 60);
    expect(await fetches(service)).to.deep.equal({ done: 1 });
    expect(told.text).not.to.include('client-4');
    expect((await service.process.stop()).code).to.equal(0);
    const { process } = service;
    for (const part of credential.split('.').slice(1))
      expect(process.output + process.errors).not.to.include(part);
  });

  it('IDENTITY=both: keys and tokens', async () => {
    const service = await serving({ IDENTITY: 'both' });
    expect(await set(service, data.key)).to.equal(200);
    expect(await set(service, await token(key))).to.equal(200);
    expect((await service.process.stop()).code).to.equal(0);
  });

  it('starts while the issuer is away, is ready, and answers 503 until it is back', async () => {
    await issuer.close();
    const service = await serving();
    const credential = await token(key);
    expect(await set(service, credential)).to.equal(503);
    expect((await fetch(`${service.ops}/readyz`)).status).to.equal(200);
    expect(await service.process.event('issuer-keys-failed')).to.have.nested.property(
      'err.cause.code',
      'ECONNREFUSED',
    );
    await issuer.open();
    await eventually('the keys', async () => expect(await set(service, credential)).to.equal(200));
    await service.process.event('issuer-keys-fetched');
  });

  it('the issuer rotates its keys, and goes away: tokens by keys that are known are accepted on', async () => {
    const service = await serving();
    const [next, unknown] = [await signingKey('next'), await signingKey('unknown')];
    expect(await set(service, await token(key))).to.equal(200);
    issuer.keys = [next];
    await eventually('the new key', async () => expect(await set(service, await token(next))).to.equal(200));
    expect(await set(service, await token(key)), 'the old key').to.equal(401);
    await issuer.close();
    await eventually('a failed fetch', async () => {
      expect(await set(service, await token(unknown))).to.equal(503);
      expect((await fetches(service)).failed).to.be.above(0);
    });
    expect(await set(service, await token(next))).to.equal(200);
  });

  it('doctor says whether the keys can be fetched', async () => {
    const finding = async () => {
      const { output } = await command(['doctor', '--json'], data.settings(issuer.settings));
      return objectsOf(output).find(({ check }) => check === 'issuer');
    };
    const where = `the keys of the issuer at ${issuer.url.host}`;
    expect(await finding()).to.include({ state: 'ok', finding: `${where}: 1 could be fetched` });
    issuer.keys = [];
    expect(await finding()).to.include({
      state: 'problem',
      finding: `${where} cannot be used (there are none)`,
    });
    await issuer.close();
    expect((await finding())?.finding).to.match(/ cannot be used \(\w+\)$/);
  });
});
