import { setImmediate as later } from 'node:timers/promises';
import { inspect } from 'node:util';
import type * as domain from '@campaign-mirror/domain';
import { accessKeyFrom, SetCampaignMirror, subject, Unavailable } from '@campaign-mirror/domain';
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

/** Gives the configured answers and records the calls. */
class FakePorts implements domain.CampaignRepository, domain.Identity {
  readonly calls: string[] = [];
  readonly changes: { seen: domain.Campaign; change: domain.MirrorChange }[] = [];
  /** The remembered caller. */
  known: domain.Caller | undefined;
  caller: () => Promise<domain.Identified> = async () => caller;
  found: () => Promise<domain.Campaign | undefined> = async () => campaign;
  /** The results of the next writes; later ones set the mirror. */
  readonly results: domain.SetMirrorResult[] = [];
  set: () => Promise<domain.SetMirrorResult> = async () =>
    this.results.shift() ?? { kind: 'mirror-set', mirror, lastChange: 5 as domain.HistoryId };

  async whoIs(key: string, { afresh = false } = {}) {
    if (this.known && !afresh) return this.known;
    this.calls.push(`whoIs ${key}`);
    return this.caller();
  }

  find(id: domain.CampaignId) {
    this.calls.push(`find ${id}`);
    return this.found();
  }

  setMirror(seen: domain.Campaign, change: domain.MirrorChange) {
    this.calls.push(`setMirror ${seen.id}`);
    this.changes.push({ seen, change });
    return this.set();
  }
}

describe('contract: the call — the mirror of a campaign is set, or refused for the first rule that fails', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  beforeEach(() => {
    ports = new FakePorts();
    useCase = new SetCampaignMirror(ports, ports, denying('denied.example'));
  });
  const isSet: domain.Outcome = { kind: 'mirror-set', mirror, lastChange: 5 as domain.HistoryId };
  const unauthenticated: domain.Outcome = { kind: 'unauthenticated' };
  const notFound: domain.Outcome = { kind: 'campaign-not-found' };

  const addresses: [submitted: string | undefined, outcome: domain.Outcome][] = [
    [undefined, { kind: 'no-address' }],
    ['ftp://a.example/', { kind: 'invalid-address', because: 'not-http' }],
    ['https://denied.example/', { kind: 'invalid-address', because: 'denied-host' }],
  ];
  const turns: [domain.Caller | undefined, domain.Campaign | undefined, domain.Outcome | undefined][] = [
    [undefined, undefined, unauthenticated],
    [undefined, campaign, unauthenticated],
    [caller, undefined, notFound],
    [caller, { ...foreign, isDefault: true, hasMirror: false }, noMirror],
    [caller, { ...foreign, isDefault: true }, isDefault],
    [caller, foreign, notTheOwner],
    [caller, campaign, undefined],
  ];
  for (const [who, known] of [
    ['looked up', undefined],
    ['remembered', caller],
  ] as const) {
    it(`contract: order of checks — a caller who is ${who} gets the first fault of several`, async () => {
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
  }

  it('a caller who is passed in is looked up again only if the key has to be proven', async () => {
    const byToken = { ownerId: caller.ownerId, subject: subject.of('jwt', 'client-4') };
    const { credential, ...input } = request;
    ports.found = async () => foreign;
    const refused = { ...input, address: undefined };
    expect(await useCase.execute({ ...refused, caller: byToken })).to.deep.equal(notTheOwner);
    expect(ports.calls).to.deep.equal([`find ${campaign.id}`]);
    expect(await useCase.execute({ ...input, caller: byToken })).to.deep.equal(isSet);
    expect(ports.changes[0]?.change).to.deep.include({ by: byToken, key: undefined });
    ports.calls.length = 0;
    expect(await useCase.execute({ ...refused, credential, caller })).to.deep.equal(notTheOwner);
    expect(ports.calls).to.deep.equal([`find ${campaign.id}`, `whoIs ${key}`]);
    ports.results.push({ kind: 'caller-invalid' });
    expect(await useCase.execute({ ...input, caller }), 'no credential to look up').to.deep.equal(
      unauthenticated,
    );
  });

  it('an unknown key is reported even if the campaign cannot be read, and no rejection is unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (fault: unknown) => void unhandled.push(fault);
    process.on('unhandledRejection', note);
    ports.found = () => Promise.reject(away);
    ports.known = caller;
    ports.caller = async () => {
      await later();
      await later();
      return undefined;
    };
    expect(await useCase.execute({ ...request, address: undefined })).to.deep.equal(unauthenticated);
    process.off('unhandledRejection', note);
    expect(unhandled).to.deep.equal([]);
  });

  const differs = (is: domain.Campaign | undefined): domain.SetMirrorResult => ({
    kind: 'campaign-differs',
    campaign: is,
  });
  const invalid = { kind: 'caller-invalid' } as const;
  const other = { ...caller, ownerId: foreign.ownerId };
  const writes: [
    results: domain.SetMirrorResult[],
    outcome: domain.Outcome,
    calls: string,
    domain.Caller?,
  ][] = [
    [[], isSet, 'setMirror'],
    [[differs(undefined)], notFound, 'setMirror'],
    [[differs(bare)], noMirror, 'setMirror'],
    [[differs(byDefault)], isDefault, 'setMirror'],
    [[differs(foreign)], notTheOwner, 'setMirror'],
    [[differs(campaign)], isSet, 'setMirror setMirror'],
    [[invalid], unauthenticated, 'setMirror find whoIs'],
    [[invalid], notTheOwner, 'setMirror find whoIs', other],
  ];
  for (const [results, outcome, calls, lookedUp] of writes) {
    const found = results.map((one) => ('campaign' in one ? JSON.stringify(one.campaign) : one.kind));
    it(`contract: atomicity — a write that finds ${found} ends as ${Object.values(outcome)[0]}`, async () => {
      ports.known = caller;
      ports.caller = async () => lookedUp;
      ports.results.push(...results);
      expect(await useCase.execute(request)).to.deep.equal(outcome);
      expect(ports.calls.map((one) => one.split(' ')[0]).join(' ')).to.equal(calls);
      const { ownerId, subject: named, key: keyId } = caller;
      expect(ports.changes[0]).to.deep.equal({
        seen: campaign,
        change: { address, by: { ownerId, subject: named }, key: keyId, requestId: 'request-1', lastChange },
      });
    });
  }

  it('contract: atomicity — a campaign that keeps changing is judged five times, then it is Unavailable', async () => {
    ports.results.push(...Array(4).fill(differs(campaign)));
    expect(await useCase.execute(request)).to.deep.equal(isSet);
    ports.changes.length = 0;
    ports.results.push(...Array(9).fill(differs(campaign)));
    expect(await rejection(useCase.execute(request))).to.be.instanceOf(Unavailable);
    expect(ports.changes).to.have.length(5);
  });

  const subjects = ['gateway:\0', `gateway:${'x'.repeat(201)}`, 'gateway:', 'operator', 'key:0', 'x'];
  const malformed: Record<string, unknown[]> = {
    requestId: ['', 'a b', '\ud800', 'x'.repeat(129), undefined],
    campaign: [0, 1.5, 2 ** 53, Number.NaN, '7', '7,8', null],
    lastChange: [1.5, 2 ** 53, Number.NaN, '5', [5], null],
    caller: [
      ...subjects.map((text) => ({ ...caller, subject: text })),
      ...[0, 1.5, '7', null, undefined].map((ownerId) => ({ ...caller, ownerId })),
      ...[undefined, 78].map((key) => ({ ...caller, key })),
    ],
  };
  for (const [field, values] of Object.entries(malformed))
    it(`a malformed ${field} throws a TypeError before anything is read`, async () => {
      for (const value of values) {
        const fault = await rejection(useCase.execute({ ...request, [field]: value } as never));
        expect(fault, inspect(value)).to.be.instanceOf(TypeError);
      }
      expect(ports.calls).to.deep.equal([]);
    });
});
