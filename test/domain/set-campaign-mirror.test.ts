import {
  type AccessKeyId,
  accessKeyBytes,
  accessKeyFrom,
  type Caller,
  hostDenylist,
  keySubject,
  type OwnerId,
  SetCampaignMirror,
  type SetMirrorRequest,
  type SetMirrorResult,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { caller, campaign, FakePorts, mirror } from '../support/store/fake-ports.ts';

const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
const address = 'HTTPS://Example.com/%7E{click_id}';
const request = { credential: key, campaign: campaign.id, address, requestId: 'request-1' };

/** What a port is told to do where it is to take its time: longer than all that is already due. */
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The outcome for an unknown key; fails where meanwhile a rejection was taken by nobody. */
async function refusedLater(ports: FakePorts, asked: SetMirrorRequest) {
  const missed: unknown[] = [];
  const miss = (fault: unknown) => void missed.push(fault);
  process.on('unhandledRejection', miss);
  ports.caller = async () => {
    // Long enough for a rejection that nobody has taken to be told.
    await later();
    await later();
    return undefined;
  };
  const outcome = await new SetCampaignMirror(ports, ports).execute(asked);
  process.off('unhandledRejection', miss);
  expect(missed).to.deep.equal([]);
  return outcome;
}

describe('contract: the call — set the mirror of a campaign', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  beforeEach(() => {
    ports = new FakePorts();
    const denied = hostDenylist(['denied.example']);
    if ('notAHost' in denied) throw new Error(denied.notAHost);
    useCase = new SetCampaignMirror(ports, ports, denied);
  });

  it('the mirror as the repository tells it is the outcome, and it is told all that history records', async () => {
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'mirror-set', mirror });
    expect(ports.changes).to.deep.equal([
      { seen: campaign, change: { address, by: caller, requestId: 'request-1' } },
    ]);
  });

  it('contract: order of checks — with everything wrong, each answer in its turn', async () => {
    const wrong: SetMirrorRequest = { ...request, address: undefined };
    const execute = () => useCase.execute(wrong);

    ports.caller = async () => undefined;
    ports.found = async () => undefined;
    expect(await execute()).to.deep.equal({ kind: 'unauthenticated' });
    ports.caller = async () => caller;
    expect(await execute()).to.deep.equal({ kind: 'campaign-not-found' });
    const foreign = { ...campaign, ownerId: 8 as OwnerId, isDefault: true, hasMirror: false };
    ports.found = async () => foreign;
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'mirror-not-created' });
    ports.found = async () => ({ ...foreign, hasMirror: true });
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'default-campaign' });
    ports.found = async () => ({ ...foreign, hasMirror: true, isDefault: false });
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    ports.found = async () => campaign;
    expect(await execute()).to.deep.equal({ kind: 'no-address' });
    expect(ports.changes).to.deep.equal([]);
  });

  it('a campaign that cannot be one is not found, and not looked up', async () => {
    expect(await useCase.execute({ ...request, campaign: undefined })).to.deep.equal({
      kind: 'campaign-not-found',
    });
    expect(ports.asked).to.deep.equal([`whoIs ${key}`]);
    ports.caller = async () => undefined;
    expect(await useCase.execute({ ...request, campaign: undefined })).to.deep.equal({
      kind: 'unauthenticated',
    });
  });

  it('an address that is none is told with what is wrong with it, and nothing is written', async () => {
    const faults = { 'ftp://a.example/': 'not-a-url', 'https://denied.example/': 'denied-host' };
    for (const [address, because] of Object.entries({ ...faults, ['x'.repeat(2049)]: 'too-long' })) {
      const outcome = await useCase.execute({ ...request, address });
      expect(outcome).to.deep.equal({ kind: 'invalid-address', because });
    }
    expect(ports.changes).to.deep.equal([]);
  });

  it('contract: order of checks — who may not update learns nothing about the address', async () => {
    ports.found = async () => ({ ...campaign, ownerId: 8 as OwnerId });
    for (const other of ['', 'ftp://a.example/', 'https://denied.example/', address]) {
      const outcome = await useCase.execute({ ...request, address: other });
      expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    }
  });
});

describe('contract: the call — the key and the campaign are looked up at the same time', () => {
  it('both are asked before either has answered, whichever answers first', async () => {
    for (const first of ['caller', 'campaign']) {
      const ports = new FakePorts();
      const who = Promise.withResolvers<typeof caller>();
      const which = Promise.withResolvers<typeof campaign>();
      ports.caller = () => who.promise;
      ports.found = () => which.promise;
      const outcome = new SetCampaignMirror(ports, ports).execute(request);
      await later();
      expect(ports.asked).to.have.members([`whoIs ${key}`, `find ${campaign.id}`]);
      if (first === 'caller') who.resolve(caller);
      else which.resolve(campaign);
      await later();
      expect(ports.changes).to.deep.equal([]);
      who.resolve(caller);
      which.resolve(campaign);
      expect(await outcome).to.have.property('kind', 'mirror-set');
    }
  });

  it('a fault of the look-up of the campaign does not hide that the key is unknown, and nobody misses it', async () => {
    const ports = new FakePorts();
    ports.found = () => Promise.reject(new Unavailable('away'));
    const outcome = await refusedLater(ports, request);
    expect(outcome).to.deep.equal({ kind: 'unauthenticated' });
  });

  it('with a known key it is the fault, and so is one of the look-up of the key', async () => {
    const away = new Unavailable('away');
    const ports = new FakePorts();
    ports.found = () => Promise.reject(away);
    expect(await rejection(new SetCampaignMirror(ports, ports).execute(request))).to.equal(away);

    const others = new FakePorts();
    others.caller = () => Promise.reject(away);
    expect(await rejection(new SetCampaignMirror(others, others).execute(request))).to.equal(away);
    expect(others.changes).to.deep.equal([]);
  });
});

describe('contract: the call — a caller who is known is judged on a hypothesis, which the write proves', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  const results: SetMirrorResult[] = [];
  beforeEach(() => {
    ports = new FakePorts();
    ports.claim = async () => caller;
    ports.set = async () => results.shift() ?? { kind: 'mirror-set', mirror };
    useCase = new SetCampaignMirror(ports, ports);
  });
  const asked = () => ports.asked.map((one) => one.split(' ')[0]);

  it('one call sets the mirror: nothing is looked up', async () => {
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'mirror-set', mirror });
    expect(asked()).to.deep.equal(['setMirror']);
    expect(ports.changes[0]?.seen).to.deep.equal(campaign);
  });

  it('what the write finds instead is judged: one call refuses, for each rule and for no campaign', async () => {
    const found = [
      [undefined, { kind: 'campaign-not-found' }],
      [
        { ...campaign, hasMirror: false },
        { kind: 'refused', because: 'mirror-not-created' },
      ],
      [
        { ...campaign, isDefault: true },
        { kind: 'refused', because: 'default-campaign' },
      ],
      [
        { ...campaign, ownerId: 8 as OwnerId },
        { kind: 'refused', because: 'not-the-owner' },
      ],
    ] as const;
    for (const [is, outcome] of found) {
      ports.asked.length = 0;
      results.push({ kind: 'campaign-differs', campaign: is });
      expect(await useCase.execute(request)).to.deep.equal(outcome);
      expect(asked()).to.deep.equal(['setMirror']);
    }
  });

  it('a campaign that is as the rules want it after all is tried again as it is', async () => {
    results.push({ kind: 'campaign-differs', campaign });
    expect(await useCase.execute(request)).to.have.property('kind', 'mirror-set');
    expect(asked()).to.deep.equal(['setMirror', 'setMirror']);
  });

  it('a key that is no longer valid is looked up, whatever the campaign is', async () => {
    results.push({ kind: 'caller-invalid' });
    ports.caller = async () => undefined;
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'unauthenticated' });
    expect(asked()).to.deep.equal(['setMirror', 'find', 'whoIs']);
  });

  it('a claim that was wrong is judged by what the look-up finds', async () => {
    results.push({ kind: 'caller-invalid' });
    const other = { ownerId: 8 as OwnerId, subject: keySubject(78 as AccessKeyId) };
    ports.caller = async () => other;
    expect(await useCase.execute(request)).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
  });

  it('contract: order of checks — without an address, or a campaign that could be one, both are read first', async () => {
    const foreign = { ...campaign, ownerId: 8 as OwnerId };
    ports.found = async () => foreign;
    for (const address of [undefined, 'ftp://a.example/']) {
      expect(await useCase.execute({ ...request, address })).to.have.property('because', 'not-the-owner');
    }
    ports.caller = async () => undefined;
    expect(await useCase.execute({ ...request, address: undefined })).to.have.property(
      'kind',
      'unauthenticated',
    );
    expect(await useCase.execute({ ...request, campaign: undefined })).to.have.property(
      'kind',
      'unauthenticated',
    );
    expect(ports.changes).to.deep.equal([]);
  });
});

describe('contract: order of checks, 6 — a limit of calls', () => {
  let ports: FakePorts;
  let useCase: SetCampaignMirror;
  beforeEach(() => {
    ports = new FakePorts();
    useCase = new SetCampaignMirror(ports, ports);
  });
  const limit = (admitted: boolean) => {
    const counted: Caller[] = [];
    return { counted, admits: async (one: Caller) => counted.push(one) > 0 && admitted };
  };

  for (const claimed of [true, false]) {
    describe(claimed ? 'of a caller who is known' : 'of a caller who is looked up', () => {
      beforeEach(() => {
        if (claimed) ports.claim = async () => caller;
      });

      it('each call is counted once, also one that is judged again', async () => {
        const results: SetMirrorResult[] = [
          { kind: 'caller-invalid' },
          { kind: 'campaign-differs', campaign },
        ];
        ports.set = async () => results.shift() ?? { kind: 'mirror-set', mirror };
        const counts = limit(true);
        expect(await useCase.execute(request, counts)).to.have.property('kind', 'mirror-set');
        expect(counts.counted).to.deep.equal([caller]);
      });

      it('one too many is over the limit, before anything is said of the campaign', async () => {
        ports.found = async () => undefined;
        expect(await useCase.execute(request, limit(false))).to.deep.equal({ kind: 'over-limit' });
        expect(ports.changes).to.deep.equal([]);
      });

      it('an invalid key is unauthenticated, however many calls', async () => {
        ports.caller = async () => undefined;
        expect(await useCase.execute(request, limit(false))).to.deep.equal({ kind: 'unauthenticated' });
      });

      it('what cannot be counted rejects, and nothing is written', async () => {
        const away = new Unavailable('away');
        const broken = { admits: () => Promise.reject(away) };
        expect(await rejection(useCase.execute(request, broken))).to.equal(away);
        expect(ports.changes).to.deep.equal([]);
      });
    });
  }
});

describe('contract: atomicity — what changed meanwhile is judged again', () => {
  it('on the new facts, with the key asked only once', async () => {
    const ports = new FakePorts();
    const given = { ...campaign, ownerId: 8 as OwnerId };
    ports.set = async () => ({ kind: 'campaign-differs', campaign: given });
    const outcome = await new SetCampaignMirror(ports, ports).execute(request);
    expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(ports.asked.filter((one) => !one.startsWith('setMirror'))).to.have.length(2);
    expect(ports.changes).to.have.length(1);
  });

  it('a campaign that is gone by then is not found', async () => {
    const ports = new FakePorts();
    ports.set = async () => ({ kind: 'campaign-differs', campaign: undefined });
    const outcome = await new SetCampaignMirror(ports, ports).execute(request);
    expect(outcome).to.deep.equal({ kind: 'campaign-not-found' });
  });

  it('up to five times: the fifth may succeed', async () => {
    const ports = new FakePorts();
    ports.set = async () =>
      ports.changes.length < 5 ? { kind: 'campaign-differs', campaign } : { kind: 'mirror-set', mirror };
    expect(await new SetCampaignMirror(ports, ports).execute(request)).to.deep.equal({
      kind: 'mirror-set',
      mirror,
    });
  });

  it('and no more: then it is Unavailable', async () => {
    const ports = new FakePorts();
    ports.set = async () => ({ kind: 'campaign-differs', campaign });
    const fault = await rejection(new SetCampaignMirror(ports, ports).execute(request));
    expect(fault).to.be.instanceOf(Unavailable);
    expect(ports.changes).to.have.length(5);
  });

  it('a fault of the write is not tried again: its outcome is unknown', async () => {
    const ports = new FakePorts();
    const away = new Unavailable('away');
    ports.set = () => Promise.reject(away);
    expect(await rejection(new SetCampaignMirror(ports, ports).execute(request))).to.equal(away);
    expect(ports.changes).to.have.length(1);
  });
});
