import { inspect } from 'node:util';
import { issuerKeys, isTokenForm, JwtIdentity, keysOrTokens } from '@campaign-mirror/adapters-jwt';
import { accessKey } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Asking, ask } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';
import { unsigned } from '../support/tokens/hmac.ts';
import { TestIssuer } from '../support/tokens/issuer.ts';
import { claims, fromNow, rules, type SigningKey, signingKey, token } from '../support/tokens/signing-key.ts';

describe('signed tokens over HTTP', () => {
  let key: SigningKey;
  let issuer: TestIssuer;
  let identity: JwtIdentity;
  const counts = new ToldCounts(1);

  before(async () => {
    key = await signingKey('first');
    issuer = await new TestIssuer(key).open();
    identity = new JwtIdentity(rules, issuerKeys({ url: issuer.url }));
  });
  after(() => issuer.close());
  beforeEach(() => counts.forget());

  const late = {
    claimedBy: (one: string) => identity.claimedBy(one),
    whoIs: (one: string) => identity.whoIs(one),
  };
  const keys = withHttpService();
  const tokens = withHttpService({ isWellFormed: isTokenForm, ports: () => ({ identity: late }) }, keys);
  const either = withHttpService(
    {
      isWellFormed: (one) => accessKey(one) !== undefined || isTokenForm(one),
      ports: (world) => ({ identity: keysOrTokens(world.identity, late) }),
    },
    keys,
  );
  const limited = withHttpService(
    { isWellFormed: isTokenForm, ports: () => ({ identity: late }), limits: { keys: counts } },
    keys,
  );

  const ownerOf = async (service: HttpService) => {
    const { rows } = await service.database.admin.query(
      'select owner_id from campaign_mirror.campaigns where id = $1',
      [service.campaigns.own],
    );
    return Number(rows[0].owner_id);
  };
  const good = async (service: HttpService) => token(key, { owner_id: await ownerOf(service) });
  const asBearer = (credential: string, asking: Asking = {}): Asking => ({
    ...asking,
    headers: { ...asking.headers, Authorization: `Bearer ${credential}` },
  });
  const unknown = () => token(key, { exp: fromNow(-60) });
  const noToken = unsigned({ alg: 'none' }, claims);

  it('sets the mirror, and the history shows the subject', async () => {
    const { world, campaigns } = tokens();
    const { status } = await ask(tokens(), asBearer(await good(tokens())));
    expect(status).to.equal(200);
    expect((await world.others.history(campaigns.own)).at(-1)).to.deep.include({ subject: 'jwt:client-4' });
  });

  it('IDENTITY=both: a key and a token are each judged by their own identity', async () => {
    const { world, campaigns, validKeyId } = either();
    expect((await ask(either())).status).to.equal(200);
    expect((await ask(either(), asBearer(await good(either())))).status).to.equal(200);
    const subjects = (await world.others.history(campaigns.own)).map(({ subject }) => subject);
    expect(subjects.slice(-2)).to.deep.equal([`key:${validKeyId}`, 'jwt:client-4']);
    expect((await ask(either(), asBearer(either().keys.unknown))).status).to.equal(401);
    expect((await ask(either(), asBearer(await unknown()))).status).to.equal(401);
  });

  it('a key is malformed where tokens alone are accepted, and the reverse', async () => {
    const tooLarge = { body: Buffer.alloc(16_385, ' ') };
    expect((await ask(tokens(), asBearer(tokens().keys.valid, tooLarge))).status).to.equal(401);
    expect((await ask(keys(), asBearer(await good(keys()), tooLarge))).status).to.equal(401);
  });

  const text = { headers: { 'Content-Type': 'text/plain' } };
  const tooLarge = { body: Buffer.alloc(16_385, ' ') };
  const spoilt: Record<string, readonly [number, (service: HttpService) => Promise<Asking>]> = {
    '3 malformed before 4 type': [401, async () => asBearer(noToken, text)],
    '3 malformed before 4 size': [401, async () => asBearer(`${'a'.repeat(8_192)}.b.c`, tooLarge)],
    '4 type before 5 unknown': [415, async () => asBearer(await unknown(), text)],
    '4 size before 5 unknown': [413, async () => asBearer(await unknown(), tooLarge)],
    '5 unknown before 7 campaign': [401, async () => asBearer(await unknown(), { campaign: 424242 })],
    '5 unknown before 9 not JSON': [401, async () => asBearer(await unknown(), { body: '{' })],
    '7 campaign': [404, async (service) => asBearer(await good(service), { campaign: 424242 })],
    '8 not the owner before 9': [
      403,
      async (service) => asBearer(await good(service), { campaign: service.campaigns.foreign, body: '{' }),
    ],
    '8 default campaign': [
      403,
      async (service) => asBearer(await good(service), { campaign: service.campaigns.default }),
    ],
    '9 not JSON': [400, async (service) => asBearer(await good(service), { body: '{' })],
    '10 required': [422, async (service) => asBearer(await good(service), { body: '{}' })],
  };
  for (const [check, [expected, asking]] of Object.entries(spoilt)) {
    it(`order of checks as for keys: ${check} is ${expected}`, async () => {
      expect((await ask(tokens(), await asking(tokens()))).status).to.equal(expected);
    });
  }

  it('401 has the same bytes whatever is wrong with a token, and as for keys', async () => {
    const others = {
      malformed: noToken,
      expired: await unknown(),
      'of another audience': await token(key, { aud: 'other' }),
      'of an owner that is no number': await token(key, { owner_id: 'seven' }),
      'signed by another': await token(await signingKey('first')),
    };
    const seen = new Set<string>();
    const see = async (service: HttpService, credential: string) => {
      const { headers, ...answer } = await ask(service, asBearer(credential));
      seen.add(JSON.stringify({ ...answer, headers: { ...headers, date: '', 'x-request-id': '' } }));
    };
    await see(keys(), keys().keys.unknown);
    for (const credential of Object.values(others)) await see(tokens(), credential);
    expect([...seen]).to.have.length(1);
    expect([...seen][0]).to.include('"status":401');
  });

  it('the rate counts each subject', async () => {
    const credential = await good(limited());
    expect((await ask(limited(), asBearer(credential))).status).to.equal(200);
    const { status } = await ask(limited(), asBearer(credential));
    expect([status, counts.asked]).to.deep.equal([429, ['jwt:client-4', 'jwt:client-4']]);
    expect((await ask(limited(), asBearer(await unknown()))).status).to.equal(401);
  });

  it('503 with Retry-After if the issuer is away and no key is known; nothing of it is in the answer or the log', async () => {
    const away = issuerKeys({ url: new URL('http://127.0.0.1:9/jwks.json') });
    const [before, credential] = [identity, await good(tokens())];
    identity = new JwtIdentity(rules, away);
    const { status, headers, body } = await ask(tokens(), asBearer(credential));
    identity = before;
    expect([status, headers['retry-after'], body]).to.deep.equal([
      503,
      '1',
      '{"message":"Service Unavailable"}',
    ]);
    const [, payload = '', signature = ''] = credential.split('.');
    const said = inspect([tokens().log.faults.at(-1), tokens().log.last()], { depth: null });
    expect(said).to.include('cannot be fetched');
    for (const secret of [payload, signature]) expect(said).not.to.include(secret);
  });
});
