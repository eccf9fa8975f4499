import { mock } from 'node:test';
import { setImmediate as later } from 'node:timers/promises';
import { inspect } from 'node:util';
import type * as domain from '@campaign-mirror/domain';
import {
  accessKeyFrom,
  keySubject,
  ownerId,
  SetCampaignMirror,
  subject,
  Unavailable,
} from '@campaign-mirror/domain';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import { expect } from 'chai';
import { rejection } from '../support/promises.ts';
import { caller, campaign, denying, mirror } from '../support/store/world.ts';

const key = accessKeyFrom(new Uint8Array(32));
const address = 'HTTPS://Example.com/%7E{click_id}';
const lastChange = 4;
const request = { credential: key, campaign: campaign.id, address, requestId: 'request-1', lastChange };
const away = new Unavailable('away');

const bare = { ...campaign, hasMirror: false };
const byDefault = { ...campaign, isDefault: true };
const foreign = { ...campaign, ownerId: 8 as domain.OwnerId };
const refused = (because: domain.Refusal): domain.Outcome => ({ kind: 'refused', because });
const [noMirror, isDefault] = [refused('mirror-not-created'), refused('default-campaign')];
const notTheOwner = refused('not-the-owner');

/** Answers what it is told to, and remembers what it was asked. */
class FakePorts implements domain.CampaignRepository, domain.Identity {
  readonly asked: string[] = [];
  readonly changes: { seen: domain.Campaign; change: domain.MirrorChange }[] = [];
  /** Nobody is remembered before a lookup, unless a test says so. */
  known: domain.Caller | undefined;
  caller: () => Promise<domain.Identified> = async () => caller;
  found: () => Promise<domain.Campaign | undefined> = async () => campaign;
  /** What the writes come to, one after the other; those beyond set the mirror. */
  readonly results: domain.SetMirrorResult[] = [];
  set: () => Promise<domain.SetMirrorResult> = async () =>
    this.results.shift() ?? { kind: 'mirror-set', mirror, lastChange: 5 as domain.HistoryId };

  async whoIs(key: string, { afresh = false } = {}): Promise<domain.Identified> {
    if (this.known && !afresh) return this.known;
    this.asked.push(`whoIs ${key}`);
    return this.caller();
  }

  find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    this.asked.push(`find ${id}`);
    return this.found();
  }

  setMirror(seen: domain.Campaign, change: domain.MirrorChange): Promise<domain.SetMirrorResult> {
    this.asked.push(`setMirror ${seen.id}`);
    this.changes.push({ seen, change });
    return this.set();
  }
}

describe('contract: the call — set the mirror of a campaign', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  beforeEach(() => {
    ports = new FakePorts();
    useCase = new SetCampaignMirror(ports, ports, denying('denied.example'));
  });

  const addresses: [submitted: string | undefined, outcome: domain.Outcome][] = [
    [undefined, { kind: 'no-address' }],
    ['ftp://a.example/', { kind: 'invalid-address', because: 'not-http' }],
    ['https://denied.example/', { kind: 'invalid-address', because: 'denied-host' }],
    ['x'.repeat(2049), { kind: 'invalid-address', because: 'too-long' }],
  ];
  const turns: [domain.Caller | undefined, domain.Campaign | undefined, domain.Outcome | undefined][] = [
    [undefined, undefined, { kind: 'unauthenticated' }],
    [undefined, campaign, { kind: 'unauthenticated' }],
    [caller, undefined, { kind: 'campaign-not-found' }],
    [caller, { ...foreign, isDefault: true, hasMirror: false }, noMirror],
    [caller, { ...foreign, isDefault: true }, isDefault],
    [caller, foreign, notTheOwner],
    [caller, campaign, undefined],
  ];
  for (const known of [undefined, caller]) {
    it(`contract: order of checks — with everything wrong, each answer in its turn, to a caller who is ${known ? 'known' : 'looked up'}`, async () => {
      ports.known = known;
      for (const [address, ofAddress] of addresses) {
        for (const [who, found, outcome = ofAddress] of turns) {
          ports.caller = async () => who;
          ports.found = async () => found;
          expect(await useCase.execute({ ...request, address })).to.deep.equal(outcome);
        }
      }
      expect(ports.changes).to.deep.equal([]);
    });

    it(`a campaign that cannot be one is not found, and not looked up, by a caller who is ${known ? 'known' : 'looked up'}`, async () => {
      ports.known = known;
      const execute = () => useCase.execute({ ...request, campaign: undefined });
      expect(await execute()).to.deep.equal({ kind: 'campaign-not-found' });
      // The key is asked for afresh, since no write proves it.
      expect(new Set(ports.asked)).to.deep.equal(new Set([`whoIs ${key}`]));
      ports.caller = async () => undefined;
      expect(await execute()).to.deep.equal({ kind: 'unauthenticated' });
    });
  }

  it('a credential that is unknown or refused is refused at once, with the reason for the log: no address is parsed, no campaign read', async () => {
    const refusal = { refused: 'expired-key', subject: keySubject(17 as domain.AccessKeyId) };
    const { refused: because, subject } = refusal;
    const parse = mock.method(URL, 'parse');
    for (const [found, told] of [
      [undefined, {}],
      [refusal, { because, subject }],
    ] as const) {
      ports.caller = async () => found;
      expect(await useCase.execute(request)).to.deep.equal({ kind: 'unauthenticated', ...told });
    }
    expect(parse.mock.callCount()).to.equal(0);
    parse.mock.restore();
    expect(ports.asked).to.deep.equal([`whoIs ${key}`, `whoIs ${key}`]);
  });

  it('a caller that the adapter has identified is asked for again only if a write has to prove it', async () => {
    const byToken = { ownerId: caller.ownerId, subject: subject.of('jwt', 'client-4') };
    const { credential, ...asked } = request;
    ports.found = async () => foreign;
    const refused = { ...asked, address: undefined };
    expect(await useCase.execute({ ...refused, caller: byToken })).to.deep.equal(notTheOwner);
    expect(ports.asked).to.deep.equal([`find ${campaign.id}`]);
    expect(await useCase.execute({ ...asked, caller: byToken })).to.deep.equal(isSet);
    expect(ports.changes[0]?.change).to.deep.include({ by: byToken, key: undefined });
    ports.asked.length = 0;
    expect(await useCase.execute({ ...refused, credential, caller })).to.deep.equal(notTheOwner);
    expect(ports.asked).to.deep.equal([`find ${campaign.id}`, `whoIs ${key}`]);
    // Without a credential, a key that the write refuses cannot be asked for.
    ports.results.push({ kind: 'caller-invalid' });
    expect(await useCase.execute({ ...asked, caller })).to.deep.equal({ kind: 'unauthenticated' });
  });

  it('identifies a caller as it does when it executes', async () => {
    ports.known = caller;
    expect(await useCase.identify(key)).to.equal(caller);
    expect(ports.asked).to.deep.equal([]);
  });

  it('a fault of the look-up of the campaign does not hide that the key is unknown, and nobody misses it', async () => {
    const missed: unknown[] = [];
    const miss = (fault: unknown) => void missed.push(fault);
    process.on('unhandledRejection', miss);
    ports.known = caller;
    ports.found = () => Promise.reject(away);
    ports.caller = async () => {
      // Long enough for a rejection that nobody has taken to be told.
      await later();
      await later();
      return undefined;
    };
    const outcome = await useCase.execute({ ...request, address: undefined });
    expect(outcome).to.deep.equal({ kind: 'unauthenticated' });
    process.off('unhandledRejection', miss);
    expect(missed).to.deep.equal([]);
  });

  const differs = (is: domain.Campaign | undefined): domain.SetMirrorResult => ({
    kind: 'campaign-differs',
    campaign: is,
  });
  const isSet: domain.Outcome = { kind: 'mirror-set', mirror, lastChange: 5 as domain.HistoryId };
  const notFound: domain.Outcome = { kind: 'campaign-not-found' };
  const another = 78 as domain.AccessKeyId;
  const other = { ownerId: foreign.ownerId, subject: keySubject(another), key: another };
  const writes: [
    who: string,
    results: domain.SetMirrorResult[],
    outcome: domain.Outcome,
    asked: string,
    lookedUp?: domain.Caller | undefined,
  ][] = [
    // One call sets or refuses: the write proves what it assumes, or finds what is instead.
    ['known', [], isSet, 'setMirror', caller],
    ['known', [differs(undefined)], notFound, 'setMirror', caller],
    ['known', [differs(bare)], noMirror, 'setMirror', caller],
    ['known', [differs(byDefault)], isDefault, 'setMirror', caller],
    ['known', [differs(foreign)], notTheOwner, 'setMirror', caller],
    ['known', [differs(campaign)], isSet, 'setMirror setMirror', caller],
    // A key that is no longer valid, or another caller's than was claimed.
    ['known', [{ kind: 'caller-invalid' }], { kind: 'unauthenticated' }, 'setMirror find whoIs', undefined],
    ['known', [{ kind: 'caller-invalid' }], notTheOwner, 'setMirror find whoIs', other],
    ['looked up', [], isSet, 'whoIs setMirror', caller],
    ['looked up', [differs(foreign)], notTheOwner, 'whoIs setMirror', caller],
    ['looked up', [differs(undefined)], notFound, 'whoIs setMirror', caller],
  ];
  for (const [who, results, outcome, calls, lookedUp] of writes) {
    const found = results.map((one) => ('campaign' in one ? JSON.stringify(one.campaign) : one.kind));
    it(`contract: atomicity — a caller who is ${who}, and a write that finds ${found}: ${Object.values(outcome)[0]}`, async () => {
      ports.known = who === 'known' ? caller : undefined;
      ports.caller = async () => lookedUp;
      ports.results.push(...results);
      expect(await useCase.execute(request)).to.deep.equal(outcome);
      expect(ports.asked.map((one) => one.split(' ')[0]).join(' ')).to.equal(calls);
      const { ownerId, subject: named, key: keyId } = caller;
      expect(ports.changes[0]).to.deep.equal({
        seen: campaign,
        change: { address, by: { ownerId, subject: named }, key: keyId, requestId: 'request-1', lastChange },
      });
    });
  }

  it('contract: atomicity — what changed meanwhile is judged up to five times, and no more: then it is Unavailable', async () => {
    ports.results.push(...Array(4).fill(differs(campaign)));
    expect(await useCase.execute(request)).to.deep.equal(isSet);
    ports.changes.length = 0;
    ports.results.push(...Array(9).fill(differs(campaign)));
    expect(await rejection(useCase.execute(request))).to.be.instanceOf(Unavailable);
    expect(ports.changes).to.have.length(5);
  });

  it('what an adapter without types hands over malformed is its fault: nothing is read or written', async () => {
    const requestIds = ['', 'a b', '\ud800', 'x'.repeat(129), undefined].map((requestId) => ({ requestId }));
    const campaigns = [0, 1.5, 2 ** 53, Number.NaN, '7', '7,8', null].map((one) => ({ campaign: one }));
    const subjects = ['gateway:\0', `gateway:${'x'.repeat(201)}`, 'gateway:', 'operator', 'key:0', 'x'];
    const callers = [
      ...subjects.map((text) => ({ ...caller, subject: text })),
      ...[0, 1.5, '7', null, undefined].map((ownerId) => ({ ...caller, ownerId })),
      // A subject of a key that no write would prove, and one of another key.
      ...[undefined, 78].map((key) => ({ ...caller, key })),
    ].map((one) => ({ caller: one }));
    const conditions = [1.5, 2 ** 53, Number.NaN, '5', [5], null].map((one) => ({ lastChange: one }));
    const nobody = [{ credential: undefined, caller: undefined }];
    for (const one of [...requestIds, ...campaigns, ...callers, ...conditions, ...nobody])
      expect(
        await rejection(useCase.execute({ ...request, ...one } as never)),
        inspect(one),
      ).to.be.instanceOf(TypeError);
    expect(ports.asked).to.deep.equal([]);
    ports.caller = async () => null as never;
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'unauthenticated' });
    ports.asked.length = 0;
    const longest = { ...request, requestId: '~'.repeat(128), lastChange: -1 };
    const by = { ownerId: caller.ownerId, subject: subject.of('gateway', 'é 😀') };
    expect(await useCase.execute({ ...longest, caller: by })).to.have.property('kind', 'mirror-set');
  });

  for (const [port, written] of Object.entries({ found: 0, caller: 0, set: 1 })) {
    it(`a fault is not tried again: ${written ? 'what was written is unknown' : 'nothing is written'} (${port})`, async () => {
      Object.assign(ports, { [port]: () => Promise.reject(away) });
      const address = port === 'found' ? undefined : request.address;
      expect(await rejection(useCase.execute({ ...request, address }))).to.equal(away);
      expect(ports.changes).to.have.length(written);
    });
  }
});

describe('contract: keys: for hosts only, in memory', () => {
  it('is judged on the address, after the campaign', async () => {
    const store = new InMemoryStore();
    const by = { ownerId: ownerId.of(7), subject: subject.of('jwt', 'client-4') };
    const limited = { ...by, hosts: denying('shop.example', '*.shop.example') };
    const [own, foreign] = [7, 8].map((of) => {
      const id = store.createCampaign(of);
      store.createMirror(id, address);
      return id;
    });
    const identity = { whoIs: async () => limited };
    const useCase = new SetCampaignMirror(store, identity, denying('go.shop.example'));
    const set = async (address: string, campaign = own) => {
      const outcome = await useCase.execute({ caller: limited, campaign, address, requestId: 'request-1' });
      return 'because' in outcome ? outcome.because : outcome.kind;
    };
    expect(await set('https://evil.example/')).to.equal('host-not-of-key');
    expect(await set('https://{x}.shop.example/')).to.equal('host-not-of-key');
    expect(await set('https://go.shop.example/')).to.equal('denied-host');
    expect(await set('https://evil.example/', foreign)).to.equal('not-the-owner');
    expect(await set('https://a.Shop.example./{x}')).to.equal('mirror-set');
  });
});
