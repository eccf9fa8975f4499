import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { changeMirror, changeMirrors, inPages } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { address, denying, mirror } from '../support/store/world.ts';

const [old, x, denied] = ['https://old.example/', 'https://x.example/', 'https://denied.example/'];
type Stored = operator.FoundMirror & { address: domain.MirrorAddress };

describe('many mirrors are changed in batches, and each one that is not changed has a reason', () => {
  let stored: Stored[];
  let calls: string[];
  let results: Record<number, operator.SetResult[]>;
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

  const setOne = ({ campaign, address }: operator.MirrorToSet, waits: boolean): operator.SetResult => {
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
    naming: () => expect.fail('not used'),
    set: async (toSet, act, waits) => {
      calls.push(`set ${toSet.length}`);
      expect(toSet[0]).to.include({ owner: act.owner ?? null, isDefault: act.includeDefault ? null : false });
      return toSet.map((one) => setOne(one, waits));
    },
    async *undoing() {},
    findMove: async () => undefined,
    resume: async () => void calls.push('resume'),
    finish: async () => void calls.push('finish'),
  };
  const changing = (act: Partial<operator.MirrorAct> = {}): operator.Changing => ({
    mirrors,
    denied: denying('denied.example'),
    act: { kind: 'mirrors-moved', details: {}, ...act },
  });
  const wanted = (campaign: number, address: string, more: Partial<operator.WantedMirror> = {}) => ({
    campaign: campaign as domain.CampaignId,
    address,
    ...more,
  });

  /** The outcome of each mirror. Stops at a progress after so many calls. */
  async function told(
    wanted: operator.WantedMirror[],
    how: Partial<operator.Changing> = {},
    until = Number.POSITIVE_INFINITY,
  ) {
    const texts: string[] = [];
    const examined: number[] = [];
    for await (const step of changeMirrors({ ...changing(), ...how }, inPages(wanted))) {
      if ('outcome' in step) texts.push(step.because ?? step.outcome);
      else if (examined.push(step.examined) && calls.length >= until) break;
    }
    expect(examined, 'progress never goes back').to.deep.equal(examined.toSorted((one, next) => one - next));
    return { texts, examined: examined.at(-1) };
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
    const dry = await told(lines, { dryRun: true });
    expect(dry.texts).to.deep.equal(['would-set', 'would-set', ...left, 'would-set', 'changed-since']);
    expect(calls.splice(0)).to.deep.equal(['find 12']);
    const { texts, examined } = await told(lines);
    expect(texts).to.deep.equal([...left, 'changed-since', 'set', 'set', 'set']);
    expect(examined).to.equal(12);
    expect((await told([wanted(7, x)], changing({ includeDefault: true }))).texts).to.deep.equal(['set']);
  });

  it('a mirror that changed meanwhile is left; setting one mirror to its own address is a change', async () => {
    filled(5);
    const differs = (campaign: domain.Campaign | undefined): operator.SetResult[] => [
      { kind: 'campaign-differs', campaign },
    ];
    results = {
      1: differs({ ...at(1).campaign, isDefault: true }),
      2: differs({ ...at(2).campaign, ownerId: 8 as domain.OwnerId }),
      3: differs(undefined),
      4: [{ kind: 'condition-failed', mirror, lastChange: 9 }],
    };
    const { texts } = await told([1, 2, 3, 4].map((campaign) => wanted(campaign, x)));
    const meanwhile = 'changed-meanwhile';
    expect(texts).to.deep.equal(['default-campaign', meanwhile, 'campaign-not-found', meanwhile]);
    const one = await changeMirror(changing({ kind: 'mirror-set' }), wanted(5, old));
    expect(one).to.include({ outcome: 'set', mirror });
  });

  it('each batch of 500 is reported before the next; run again, nothing is set twice', async () => {
    filled(1_001);
    const all = () => stored.map((_, index) => wanted(index + 1, x));
    expect((await told(all(), {}, 3)).texts).to.have.length(500);
    expect(calls.splice(0)).to.deep.equal(['resume', 'find 500', 'set 500']);
    const { texts, examined } = await told(all());
    expect(texts.filter((text) => text === 'set')).to.have.length(501);
    expect(calls).to.deep.equal(['resume', 'find 500', 'find 500', 'set 500', 'find 1', 'set 1', 'finish']);
    expect(examined).to.equal(1_001);
  });

  it('locked mirrors are tried again one by one at the end, until 15 stay locked', async () => {
    filled(20);
    const locked = { kind: 'locked' } as const;
    for (const { campaign } of stored) results[campaign.id] = campaign.id === 3 ? [locked] : [locked, locked];
    for (const free of [19, 20]) results[free] = [locked];
    const { texts } = await told(stored.map((_, index) => wanted(index + 1, x)));
    expect(texts).to.deep.equal([...['locked', 'locked', 'set'], ...Array(15).fill('locked'), 'set', 'set']);
    expect(calls.filter((call) => call.startsWith('waits'))).to.deep.equal(['waits for 3']);
    expect(calls, 'the move is not finished').not.to.include('finish');
  });
});
