import {
  type AccessKeyId,
  accessKeyBytes,
  accessKeyFrom,
  type Caller,
  type Campaign,
  keySubject,
  type Outcome,
  type OwnerId,
  type Refusal,
  SetCampaignMirror,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { caller, campaign, denying, FakePorts, mirror } from '../support/store/fake-ports.ts';

const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
const address = 'HTTPS://Example.com/%7E{click_id}';
const request = { credential: key, campaign: campaign.id, address, requestId: 'request-1' };
const away = new Unavailable('away');

const bare = { ...campaign, hasMirror: false };
const byDefault = { ...campaign, isDefault: true };
const foreign = { ...campaign, ownerId: 8 as OwnerId };
const refused = (because: Refusal): Outcome => ({ kind: 'refused', because });
const [noMirror, isDefault, notTheOwner] = [
  refused('mirror-not-created'),
  refused('default-campaign'),
  refused('not-the-owner'),
];

/** What a port is told to do where it is to take its time: longer than all that is already due. */
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('contract: the call — set the mirror of a campaign', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  beforeEach(() => {
    ports = new FakePorts();
    useCase = new SetCampaignMirror(ports, ports, denying('denied.example'));
  });
  const asked = () => ports.asked.splice(0).map((one) => one.split(' ')[0]);

  it('the mirror as the repository tells it is the outcome, and it is told all that history records', async () => {
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'mirror-set', mirror });
    expect(ports.changes).to.deep.equal([
      { seen: campaign, change: { address, by: caller, requestId: 'request-1' } },
    ]);
  });

  const addresses: [submitted: string | undefined, outcome: Outcome][] = [
    [undefined, { kind: 'no-address' }],
    ['ftp://a.example/', { kind: 'invalid-address', because: 'not-a-url' }],
    ['https://denied.example/', { kind: 'invalid-address', because: 'denied-host' }],
    ['x'.repeat(2049), { kind: 'invalid-address', because: 'too-long' }],
  ];
  const turns: [who: Caller | undefined, found: Campaign | undefined, outcome: Outcome | undefined][] = [
    [undefined, undefined, { kind: 'unauthenticated' }],
    [undefined, campaign, { kind: 'unauthenticated' }],
    [caller, undefined, { kind: 'campaign-not-found' }],
    [caller, { ...foreign, isDefault: true, hasMirror: false }, noMirror],
    [caller, { ...foreign, isDefault: true }, isDefault],
    [caller, foreign, notTheOwner],
    [caller, campaign, undefined],
  ];
  for (const claim of [undefined, caller]) {
    it(`contract: order of checks — with everything wrong, each answer in its turn, to a caller who is ${claim ? 'known' : 'looked up'}`, async () => {
      ports.claim = claim;
      for (const [address, ofAddress] of addresses) {
        for (const [who, found, outcome = ofAddress] of turns) {
          ports.caller = async () => who;
          ports.found = async () => found;
          expect(await useCase.execute({ ...request, address })).to.deep.equal(outcome);
        }
      }
      expect(ports.changes).to.deep.equal([]);
    });

    it(`a campaign that cannot be one is not found, and not looked up, by a caller who is ${claim ? 'known' : 'looked up'}`, async () => {
      ports.claim = claim;
      const execute = () => useCase.execute({ ...request, campaign: undefined });
      expect(await execute()).to.deep.equal({ kind: 'campaign-not-found' });
      expect(asked()).to.deep.equal(['whoIs']);
      ports.caller = async () => undefined;
      expect(await execute()).to.deep.equal({ kind: 'unauthenticated' });
    });
  }

  for (const first of ['caller', 'campaign'] as const) {
    it(`the key and the campaign are looked up at the same time; the ${first} answers first`, async () => {
      const who = Promise.withResolvers<Caller>();
      const which = Promise.withResolvers<Campaign>();
      ports.caller = () => who.promise;
      ports.found = () => which.promise;
      const outcome = useCase.execute(request);
      await later();
      expect(ports.asked).to.have.members([`whoIs ${key}`, `find ${campaign.id}`]);
      if (first === 'caller') who.resolve(caller);
      else which.resolve(campaign);
      await later();
      expect(ports.changes).to.deep.equal([]);
      who.resolve(caller);
      which.resolve(campaign);
      expect(await outcome).to.have.property('kind', 'mirror-set');
    });
  }

  it('a fault of the look-up of the campaign does not hide that the key is unknown, and nobody misses it', async () => {
    const missed: unknown[] = [];
    const miss = (fault: unknown) => void missed.push(fault);
    process.on('unhandledRejection', miss);
    ports.found = () => Promise.reject(away);
    ports.caller = async () => {
      // Long enough for a rejection that nobody has taken to be told.
      await later();
      await later();
      return undefined;
    };
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'unauthenticated' });
    process.off('unhandledRejection', miss);
    expect(missed).to.deep.equal([]);
  });

  it('with a known key it is the fault, and so is one of the look-up of the key', async () => {
    ports.found = () => Promise.reject(away);
    expect(await rejection(useCase.execute(request))).to.equal(away);
    ports.found = async () => campaign;
    ports.caller = () => Promise.reject(away);
    expect(await rejection(useCase.execute(request))).to.equal(away);
    expect(ports.changes).to.deep.equal([]);
  });

  describe('a caller who is known is judged on a hypothesis, which the write proves', () => {
    beforeEach(() => {
      ports.claim = caller;
    });

    it('one call sets the mirror: nothing is looked up', async () => {
      expect(await useCase.execute(request)).to.deep.equal({ kind: 'mirror-set', mirror });
      expect(asked()).to.deep.equal(['setMirror']);
      expect(ports.changes[0]?.seen).to.deep.equal(campaign);
    });

    it('what the write finds instead is judged: one call refuses, for each rule and for no campaign', async () => {
      for (const [is, outcome] of [
        [undefined, { kind: 'campaign-not-found' }],
        [bare, noMirror],
        [byDefault, isDefault],
        [foreign, notTheOwner],
      ] as const) {
        ports.results.push({ kind: 'campaign-differs', campaign: is });
        expect(await useCase.execute(request)).to.deep.equal(outcome);
        expect(asked()).to.deep.equal(['setMirror']);
      }
    });

    it('a campaign that is as the rules want it after all is tried again as it is', async () => {
      ports.results.push({ kind: 'campaign-differs', campaign });
      expect(await useCase.execute(request)).to.have.property('kind', 'mirror-set');
      expect(asked()).to.deep.equal(['setMirror', 'setMirror']);
    });

    it('a key that is no longer valid, or another caller’s than was claimed, is judged by what the look-up finds', async () => {
      const other = { ownerId: foreign.ownerId, subject: keySubject(78 as AccessKeyId) };
      for (const [who, outcome] of [
        [undefined, { kind: 'unauthenticated' }],
        [other, notTheOwner],
      ] as const) {
        ports.results.push({ kind: 'caller-invalid' });
        ports.caller = async () => who;
        expect(await useCase.execute(request)).to.deep.equal(outcome);
        expect(asked()).to.deep.equal(['setMirror', 'find', 'whoIs']);
      }
    });
  });

  for (const claim of [undefined, caller]) {
    it(`contract: order of checks, 6 — a limit of calls, of a caller who is ${claim ? 'known' : 'looked up'}`, async () => {
      ports.claim = claim;
      const counted: Caller[] = [];
      const counts = { admits: async (one: Caller) => counted.push(one) > 0 };
      ports.results.push({ kind: 'caller-invalid' }, { kind: 'campaign-differs', campaign });
      expect(await useCase.execute(request, counts)).to.have.property('kind', 'mirror-set');
      expect(counted, 'also one that is judged again is counted once').to.deep.equal([caller]);
      ports.changes.length = 0;

      const over = { admits: async () => false };
      ports.found = async () => undefined;
      expect(await useCase.execute(request, over)).to.deep.equal({ kind: 'over-limit' });
      const broken = { admits: () => Promise.reject(away) };
      expect(await rejection(useCase.execute(request, broken))).to.equal(away);
      ports.caller = async () => undefined;
      expect(await useCase.execute(request, over)).to.deep.equal({ kind: 'unauthenticated' });
      expect(ports.changes).to.deep.equal([]);
    });
  }

  it('contract: atomicity — what changed meanwhile is judged again on the new facts, with the key asked only once', async () => {
    for (const [is, outcome] of [
      [foreign, notTheOwner],
      [undefined, { kind: 'campaign-not-found' }],
    ] as const) {
      ports.results.push({ kind: 'campaign-differs', campaign: is });
      expect(await useCase.execute(request)).to.deep.equal(outcome);
      expect(asked()).to.have.members(['find', 'whoIs', 'setMirror']);
    }
  });

  it('contract: atomicity — up to five times, and no more: then it is Unavailable', async () => {
    const differs = { kind: 'campaign-differs', campaign } as const;
    ports.results.push(differs, differs, differs, differs);
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'mirror-set', mirror });
    ports.changes.length = 0;
    ports.set = async () => differs;
    expect(await rejection(useCase.execute(request))).to.be.instanceOf(Unavailable);
    expect(ports.changes).to.have.length(5);
  });

  it('a fault of the write is not tried again: its outcome is unknown', async () => {
    ports.set = () => Promise.reject(away);
    expect(await rejection(useCase.execute(request))).to.equal(away);
    expect(ports.changes).to.have.length(1);
  });
});
