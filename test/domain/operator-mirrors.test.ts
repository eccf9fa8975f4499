import { type HistoryEntry, type HistoryId, type MirrorAddress, Unavailable } from '@campaign-mirror/domain';
import { createMirror, type MirrorCreation, restoreMirror } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { rejection } from '../support/promises.ts';
import { address, campaign, denying, mirror, newOwner } from '../support/store/world.ts';

const denied = denying('denied.example');
const faults = {
  'https://DENIED.example./': 'denied-host',
  [`https://a.example/${'x'.repeat(2_048)}`]: 'too-long',
};

it('contract: the address — a mirror is created in the settings with the address exactly as it was submitted; one that is none is not', async () => {
  const submitted = 'HTTPS://Example.com/%7E{click_id}';
  const away = new Unavailable('away');
  let answer: Promise<MirrorCreation>;
  const created: unknown[] = [];
  const settings = {
    createMirror: (...call: unknown[]) => {
      created.push(call);
      return answer;
    },
  };
  const execute = (text: string) => createMirror(settings, denied, campaign.id, text);
  for (const kind of ['campaign-not-found', 'mirror-exists'] as const) {
    answer = Promise.resolve({ kind });
    expect(await execute(submitted)).to.deep.equal({ kind });
  }
  answer = Promise.reject(away);
  expect(await rejection(execute(submitted))).to.equal(away);
  const call = [campaign.id, submitted];
  expect(created.splice(0)).to.deep.equal([call, call, call]);
  for (const [text, because] of Object.entries(faults))
    expect(await execute(text), text).to.deep.equal({ kind: 'invalid-address', because });
  expect(created).to.deep.equal([]);
});

describe('contract: history — restore a mirror, an act of the operator', () => {
  const change = 17 as HistoryId;
  const recorded = {
    id: change,
    campaignId: campaign.id,
    addressBefore: address('https://first.example/?a={click_id}'),
    addressAfter: address('https://second.example/'),
  } as HistoryEntry;
  const byDefault = { ...campaign, isDefault: true };
  const bare = { ...byDefault, hasMirror: false };

  /** What was set; on these facts, of which the last are there to stay. */
  let restored: unknown[];
  let found: (typeof campaign | undefined)[];
  let entry: HistoryEntry | undefined;
  let isSet: typeof mirror | undefined;
  beforeEach(() => {
    [restored, found, entry, isSet] = [[], [campaign], recorded, mirror];
  });
  const ports: Parameters<typeof restoreMirror>[0] = {
    campaigns: { find: async () => (found.length > 1 ? found.shift() : found[0]) },
    history: { find: async (id, number) => (id === campaign.id && number === change ? entry : undefined) },
    mirrors: {
      setMirror: async (seen, address, { change }) => {
        restored.push({ seen, to: { address, change } });
        return isSet && { kind: 'mirror-set', mirror: isSet, lastChange: change as HistoryId };
      },
    },
  };
  const execute = (which: 'after' | 'before' = 'after') =>
    restoreMirror(ports, denied, campaign.id, change, which);

  it('order of checks: the campaign, the first two rules, the change, its address; whoever owns the campaign by now', async () => {
    entry = undefined;
    const given = { ...campaign, ownerId: newOwner() };
    for (const [is, outcome] of [
      [undefined, { kind: 'campaign-not-found' }],
      [bare, { kind: 'refused', because: 'mirror-not-created' }],
      [byDefault, { kind: 'refused', because: 'default-campaign' }],
      [given, { kind: 'no-address' }],
    ] as const) {
      found = [is];
      expect(await execute()).to.deep.equal(outcome);
    }
    expect(restored).to.deep.equal([]);
    entry = recorded;
    expect(await execute()).to.have.property('kind', 'mirror-set');
  });

  it('what was recorded, the address after or before, is judged anew: its host may be denied by now, or it came from elsewhere', async () => {
    for (const [addressAfter, because] of Object.entries(faults)) {
      entry = { ...recorded, addressAfter: addressAfter as MirrorAddress };
      expect(await execute()).to.deep.equal({ kind: 'invalid-address', because });
      expect(await execute('before')).to.deep.equal({ kind: 'mirror-set', mirror, lastChange: change });
      const to = { address: recorded.addressBefore, change };
      expect(restored.splice(0)).to.deep.equal([{ seen: campaign, to }]);
    }
  });

  it('a campaign that changed meanwhile is judged again, on the new facts: five times, then it is Unavailable', async () => {
    isSet = undefined;
    found = [campaign, byDefault];
    expect(await execute()).to.deep.equal({ kind: 'refused', because: 'default-campaign' });
    expect(restored.splice(0)).to.have.length(1);
    found = [campaign];
    expect(await rejection(execute())).to.be.instanceOf(Unavailable);
    expect(restored).to.have.length(5);
  });
});
