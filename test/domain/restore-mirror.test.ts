import {
  type HistoryEntry,
  type HistoryId,
  hostDenylist,
  type Mirror,
  type MirrorAddress,
  RestoreMirror,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { rejection } from '../support/faults.ts';
import { campaign, FakePorts, mirror } from '../support/store/fake-ports.ts';
import { address, newOwner } from '../support/store/world.ts';

const change = 17 as HistoryId;
const recorded = {
  id: change,
  campaignId: campaign.id,
  addressBefore: address('https://first.example/?a={click_id}'),
  addressAfter: address('https://second.example/'),
} as HistoryEntry;

/** The history, and where the operator's writes go. */
class OperatorPorts extends FakePorts {
  readonly restored: { seen: unknown; restored: unknown }[] = [];
  isSet: () => Promise<Mirror | undefined> = async () => mirror;
  entry: HistoryEntry | undefined = recorded;
  readonly history = {
    find: async (id: number, number: number) => {
      this.asked.push(`change ${number} of ${id}`);
      return this.entry;
    },
  };
  readonly mirrors = {
    setMirror: (seen: unknown, restored: unknown) => {
      this.restored.push({ seen, restored });
      return this.isSet();
    },
  };
}

describe('contract: history — restore a mirror, an act of the operator', () => {
  let ports: OperatorPorts;
  let useCase: RestoreMirror;
  const execute = (which: 'after' | 'before' = 'after') =>
    useCase.execute({ campaign: campaign.id, change, address: which });
  beforeEach(() => {
    ports = new OperatorPorts();
    const denied = hostDenylist(['denied.example']);
    if ('notAHost' in denied) throw new Error(denied.notAHost);
    useCase = new RestoreMirror(ports, ports.history, ports.mirrors, denied);
  });

  it('the address after the change, or the one that it replaced, is set as it was recorded', async () => {
    expect(await execute('after')).to.deep.equal({ kind: 'restored', mirror });
    await execute('before');
    expect(ports.restored).to.deep.equal([
      { seen: campaign, restored: { address: recorded.addressAfter, change } },
      { seen: campaign, restored: { address: recorded.addressBefore, change } },
    ]);
    expect(ports.asked).to.include(`change ${change} of ${campaign.id}`);
  });

  it('order of checks: the campaign, the first two rules, the change, its address', async () => {
    ports.entry = undefined;
    ports.found = async () => undefined;
    expect(await execute()).to.deep.equal({ kind: 'campaign-not-found' });
    ports.found = async () => ({ ...campaign, hasMirror: false, isDefault: true });
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'mirror-not-created' });
    ports.found = async () => ({ ...campaign, isDefault: true });
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'default-campaign' });
    ports.found = async () => campaign;
    expect(await execute()).to.deep.equal({ kind: 'change-not-found' });
    expect(ports.restored).to.deep.equal([]);
  });

  it('the last rule does not apply: whoever owns the campaign by now', async () => {
    ports.found = async () => ({ ...campaign, ownerId: newOwner() });
    expect(await execute()).to.have.property('kind', 'restored');
  });

  it('the address is judged anew: its host may be denied by now, or it came from elsewhere', async () => {
    const wrong = {
      'https://sub.example@denied.example/': 'not-a-url',
      'https://DENIED.example./x': 'denied-host',
      [`https://example.com/${'x'.repeat(2048)}`]: 'too-long',
    };
    for (const [addressAfter, because] of Object.entries(wrong)) {
      ports.entry = { ...recorded, addressAfter: addressAfter as MirrorAddress };
      expect(await execute()).to.deep.equal({ kind: 'invalid-address', because });
      expect(await execute('before')).to.have.property('kind', 'restored');
    }
  });

  it('a campaign that changed meanwhile is judged again, on the new facts', async () => {
    const found = [campaign, { ...campaign, isDefault: true }];
    ports.found = async () => found.shift();
    ports.isSet = async () => undefined;
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'default-campaign' });
    expect(ports.restored).to.have.length(1);
  });

  it('one that changes each time: Unavailable after five judgements', async () => {
    ports.isSet = async () => undefined;
    expect(await rejection(execute())).to.be.instanceOf(Unavailable);
    expect(ports.restored).to.have.length(5);
  });
});
