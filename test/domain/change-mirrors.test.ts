import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { changeMirrors, inBatches } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { address, denying, mirror } from '../support/store/world.ts';

const [old, x, denied] = ['https://old.example/', 'https://x.example/', 'https://denied.example/'];
type Stored = operator.FoundMirror & { address: domain.MirrorAddress };

describe('many mirrors are changed in batches, and each one that is not changed has a reason', () => {
  let stored: Stored[];
  let calls: string[];
  let results: Record<number, operator.BatchSetResult[]>;
  beforeEach(() => {
    [stored, calls, results] = [[], [], {}];
  });
  const filled = (count: number, { isDefault = false, hasMirror = true } = {}) => {
    for (let made = 0; made < count; made++) {
      const id = (stored.length + 1) as domain.CampaignId;
      const campaign = { id, ownerId: 7 as domain.OwnerId, isDefault, hasMirror };
      stored.push({ campaign, address: address(old), lastChange: id as number as domain.HistoryId });
    }
  };
  const at = (campaign: number) => stored[campaign - 1] as Stored;

  const setOne = ({ campaign, address }: operator.MirrorToSet, waits: boolean): operator.BatchSetResult => {
    const given = results[campaign]?.shift();
    if (given) return given;
    stored[campaign - 1] = { ...at(campaign), address };
    calls.push(...(waits ? [`waits for ${campaign}`] : []));
    return { kind: 'mirror-set', mirror, lastChange: 1 as domain.HistoryId };
  };
  const mirrors: operator.OperatorMirrors = {
    moveId: 3 as operator.AuditId,
    count: async () => stored.length,
    find: async (campaigns) => {
      calls.push(`find ${campaigns.length}`);
      const found = stored.filter(({ campaign }) => campaigns.includes(campaign.id));
      return found.map((one) => (one.campaign.hasMirror ? one : { ...one, address: null, lastChange: null }));
    },
    findByHost: () => expect.fail('not used'),
    set: async (toSet, act, waits) => {
      calls.push(`set ${toSet.length}`);
      expect(toSet[0]).to.include({ owner: act.owner ?? null, isDefault: act.includeDefault ? null : false });
      return toSet.map((one) => setOne(one, waits));
    },
    async *mirrorsToUndo() {},
    findMove: async () => undefined,
    resume: async () => void calls.push('resume'),
    finish: async () => void calls.push('finish'),
  };
  const changing = (act: Partial<operator.MirrorAct> = {}): operator.ChangeOptions => ({
    mirrors,
    denied: denying('denied.example'),
    act: { kind: 'mirrors-moved', details: {}, ...act },
  });
  const wanted = (campaign: number, address: string, more: Partial<operator.DesiredMirror> = {}) => ({
    campaign: campaign as domain.CampaignId,
    address,
    ...more,
  });

  /** The outcome of each mirror. */
  async function outcomes(wanted: operator.DesiredMirror[], how: Partial<operator.ChangeOptions> = {}) {
    const texts: string[] = [];
    for await (const step of changeMirrors({ ...changing(), ...how }, inBatches(wanted)))
      if ('outcome' in step) texts.push(step.because ?? step.outcome);
    return texts;
  }

  it('a mirror is set, unchanged, or refused for the first check that fails; a dry run writes nothing', async () => {
    filled(6);
    filled(1, { isDefault: true });
    filled(1, { hasMirror: false });
    const lines = [
      ...[wanted(1, x), wanted(2, x, { expected: old }), wanted(3, x, { expected: denied })],
      ...[wanted(4, old, { expected: x }), wanted(5, denied, { expected: x }), wanted(6, '')],
      ...[wanted(7, 'no address'), wanted(8, x), wanted(8, ''), wanted(9, x)],
      ...[6, 5].map((change) => wanted(6, x, { lastChange: change as domain.HistoryId })),
    ];
    const left = [
      ...['not-as-expected', 'unchanged', 'denied-host', 'not-http', 'default-campaign'],
      ...['mirror-not-created', 'unchanged', 'campaign-not-found'],
    ];
    expect(await outcomes(lines, { dryRun: true })).to.deep.equal([
      'would-set',
      'would-set',
      ...left,
      'would-set',
      'changed-since',
    ]);
    expect(calls.splice(0)).to.deep.equal(['find 12']);
    expect(await outcomes(lines)).to.deep.equal([...left, 'changed-since', 'set', 'set', 'set']);
    expect(await outcomes([wanted(7, x)], changing({ includeDefault: true }))).to.deep.equal(['set']);
  });

  it('locked mirrors are tried again one by one at the end, until 15 stay locked', async () => {
    filled(20);
    const locked = { kind: 'locked' } as const;
    for (const { campaign } of stored) results[campaign.id] = campaign.id === 3 ? [locked] : [locked, locked];
    for (const free of [19, 20]) results[free] = [locked];
    expect(await outcomes(stored.map((_, index) => wanted(index + 1, x)))).to.deep.equal([
      ...['locked', 'locked', 'set'],
      ...Array(15).fill('locked'),
      'set',
      'set',
    ]);
    expect(calls.filter((call) => call.startsWith('waits'))).to.deep.equal(['waits for 3']);
    expect(calls, 'the move is not finished').not.to.include('finish');
  });
});
