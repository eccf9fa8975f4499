import {
  accessKeyBytes,
  accessKeyFrom,
  hostDenylist,
  type OwnerId,
  SetCampaignMirror,
  type SetMirrorRequest,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { caller, campaign, FakePorts, mirror } from '../support/fake-ports.ts';
import { rejection } from '../support/faults.ts';

const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
const submitted = { address: 'HTTPS://Example.com/%7E{click_id}' };
const request = { key, campaign: campaign.id, submitted, requestId: 'request-1' };

/** What a port is told to do where it is to take its time: longer than all that is already due. */
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The outcome for an unknown key; fails where meanwhile a rejection was taken by nobody. */
async function refusedLater(ports: FakePorts, asked: SetMirrorRequest<string>) {
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

describe('specification, section 4 — set the mirror of a campaign', () => {
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
      { seen: campaign, change: { address: submitted.address, by: caller, requestId: 'request-1' } },
    ]);
  });

  it('decisions: order of checks — with everything wrong, each answer in its turn', async () => {
    const wrong: SetMirrorRequest<string> = { ...request, submitted: { unread: 'not JSON' } };
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
    expect(await execute()).to.deep.equal({ kind: 'unread', because: 'not JSON' });
    expect(ports.changes).to.deep.equal([]);
  });

  it('a campaign that can not be one is not found, and not looked up', async () => {
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
      const outcome = await useCase.execute({ ...request, submitted: { address } });
      expect(outcome).to.deep.equal({ kind: 'invalid-address', because });
    }
    expect(ports.changes).to.deep.equal([]);
  });

  it('decisions: order of checks — who may not update learns nothing about the address', async () => {
    ports.found = async () => ({ ...campaign, ownerId: 8 as OwnerId });
    for (const address of ['', 'ftp://a.example/', 'https://denied.example/', submitted.address]) {
      const outcome = await useCase.execute({ ...request, submitted: { address } });
      expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    }
  });
});

describe('specification, section 4 — the key and the campaign are looked up at the same time', () => {
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

describe('specification, section 4 — what was submitted may come later than it is asked for', () => {
  it('the ports are asked meanwhile, and nothing is written before it is there', async () => {
    const ports = new FakePorts();
    const reading = Promise.withResolvers<typeof submitted>();
    const outcome = new SetCampaignMirror(ports, ports).execute({ ...request, submitted: reading.promise });
    await later();
    expect(ports.asked).to.have.members([`whoIs ${key}`, `find ${campaign.id}`]);
    reading.resolve(submitted);
    expect(await outcome).to.have.property('kind', 'mirror-set');
    expect(ports.changes[0]?.change).to.have.property('address', submitted.address);
  });

  it('decisions: order of checks — who may not set the mirror is not made to wait for it', async () => {
    const never = { ...request, submitted: new Promise<typeof submitted>(() => {}) };
    const ports = new FakePorts();
    const useCase = new SetCampaignMirror(ports, ports);
    ports.found = async () => ({ ...campaign, ownerId: 8 as OwnerId });
    expect(await useCase.execute(never)).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    ports.found = async () => undefined;
    expect(await useCase.execute(never)).to.deep.equal({ kind: 'campaign-not-found' });
    ports.caller = async () => undefined;
    expect(await useCase.execute(never)).to.deep.equal({ kind: 'unauthenticated' });
  });

  it('a fault of reading it is told to whom it concerns, and missed by nobody', async () => {
    const fault = new Error('the reader broke');
    const ports = new FakePorts();
    const broken = () => ({ ...request, submitted: Promise.reject(fault) });
    expect(await rejection(new SetCampaignMirror(ports, ports).execute(broken()))).to.equal(fault);
    const outcome = await refusedLater(ports, broken());
    expect(outcome).to.deep.equal({ kind: 'unauthenticated' });
    expect(ports.changes).to.deep.equal([]);
  });
});

describe('decisions: atomicity — what changed meanwhile is judged again', () => {
  it('on the new facts, with the key asked only once', async () => {
    const ports = new FakePorts();
    const facts = [campaign, { ...campaign, ownerId: 8 as OwnerId }];
    ports.found = async () => facts.shift();
    ports.set = async () => undefined;
    const outcome = await new SetCampaignMirror(ports, ports).execute(request);
    expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(ports.asked.filter((one) => one.startsWith('whoIs'))).to.have.length(1);
    expect(ports.changes).to.have.length(1);
  });

  it('a campaign that is gone by then is not found', async () => {
    const ports = new FakePorts();
    const facts = [campaign, undefined];
    ports.found = async () => facts.shift();
    ports.set = async () => undefined;
    const outcome = await new SetCampaignMirror(ports, ports).execute(request);
    expect(outcome).to.deep.equal({ kind: 'campaign-not-found' });
  });

  it('up to five times: the fifth may succeed', async () => {
    const ports = new FakePorts();
    ports.set = async () => (ports.changes.length < 5 ? undefined : mirror);
    expect(await new SetCampaignMirror(ports, ports).execute(request)).to.deep.equal({
      kind: 'mirror-set',
      mirror,
    });
  });

  it('and no more: then it is Unavailable', async () => {
    const ports = new FakePorts();
    ports.set = async () => undefined;
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
