import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import {
  host,
  hostMoveFault,
  hostNameOf,
  movedAddress,
  moveMirrors,
  moveToAddresses,
  noDeniedHosts,
  undoMove,
} from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { address, denying } from '../support/store/world.ts';

type Found = operator.FoundCampaign<domain.MirrorAddress>;
const read = (text: string): operator.Host => host(text) ?? expect.fail(`not a host: ${text}`);

function moving(from: string, to: string, subdomains = false): operator.HostMove {
  return { from: read(from).name, to: read(to), subdomains };
}

const moved = (move: operator.HostMove, text: string) => movedAddress(move, address(text), noDeniedHosts);

/** One character more than `old.example`, and as many as an address may have. */
const longest = `https://old.example/${'x'.repeat(2048 - 20)}`;

describe('mirror move: what an address on the host comes to', () => {
  const alone = moving('old.example', 'New.example');
  const below = moving('old.example', 'New.example', true);
  const toIp = moving('127.0.0.1', '[2001:db8::1]');
  const fromIp = moving('[2001:DB8:0::1]', 'new.example');
  const nearIp = moving('1.2.3.4.example', 'new.example', true);
  const toIdn = moving('b%C3%BCcher.example.', 'ñandú.example');
  const moves: [move: operator.HostMove, before: string, after: string | undefined][] = [
    [alone, 'HTTP://OLD.Example.:8080/', 'HTTP://New.example:8080/'],
    [alone, 'https://old.example?a={click_id}&b=[x]|ü#é', 'https://New.example?a={click_id}&b=[x]|ü#é'],
    [alone, 'https://old%2Eexample./x', 'https://New.example/x'],
    [alone, 'https://old.example/?price=$&x=$1', 'https://New.example/?price=$&x=$1'],
    [alone, 'https://x.old.example/', undefined],
    [alone, 'https://old.example.com/', undefined],
    [alone, 'https://bold.example/', undefined],
    [alone, 'https://new.example/?old.example', undefined],
    [below, 'https://X.y_Z.OLD.example.:8/?', 'https://X.y_Z.New.example:8/?'],
    [below, 'https://bücher.old.example/', 'https://xn--bcher-kva.New.example/'],
    [below, 'https://old.example.old.example/', 'https://old.example.New.example/'],
    [toIp, 'http://2130706433:80/x', 'http://[2001:db8::1]:80/x'],
    [fromIp, 'http://[2001:0db8:0:0:0:0:0:1]:80?x', 'http://new.example:80?x'],
    [toIdn, 'https://XN--BCHER-KVA.example:81/x', 'https://ñandú.example:81/x'],
    [nearIp, 'https://x.1.2.3.4.example/', 'https://x.new.example/'],
    [moving('old.example', 'new.old.example'), 'https://old.example', 'https://new.old.example'],
    [moving('x.old.example', 'old.example', true), 'https://a.x.old.example/', 'https://a.old.example/'],
  ];
  for (const [move, before, after] of moves) {
    it(`${before} ${after === undefined ? 'stays' : `→ ${after}`}`, () =>
      expect(moved(move, before)).to.deep.equal(after === undefined ? undefined : { to: after }));
  }

  it('is judged again on its new host, which may be denied', () => {
    const judged = movedAddress(below, address('https://x.old.example/'), denying('*.new.example'));
    expect(judged).to.deep.equal({ fault: 'denied-host', to: 'https://x.New.example/' });
  });

  it('is left where its host cannot be told from the rest', () => {
    // Such never pass as a mirror's address; a table may have been written to by hand.
    for (const strange of [
      'https://user:password@old.example/',
      'https:old.example/',
      'https:///old.example/',
      'https://old.example\\x',
      ' https://old.example/',
      'ftp://old.example/',
    ])
      expect(movedAddress(alone, strange as domain.MirrorAddress, noDeniedHosts), strange).to.deep.equal({
        fault: 'not-a-url',
        to: undefined,
      });
  });
});

describe('mirror move: what can be asked for', () => {
  const refused: [from: string, to: string, subdomains: boolean, fault: string][] = [
    ['old.example', '%6fld.example', true, 'matches-itself'],
    ['old.example', 'new.old.example', true, 'matches-itself'],
    ['old.example', '[::1]', true, 'no-names-below'],
    ['10.20.30.40', 'new.example', true, 'no-names-below'],
    ['old.example', 'Denied.example.', false, 'denied-host'],
    ['old.example', 'x.below.example', false, 'denied-host'],
  ];
  for (const [from, to, subdomains, fault] of refused) {
    it(`${from} → ${to}${subdomains ? ' with subdomains' : ''}: ${fault}`, () => {
      const denied = denying('denied.example', '*.below.example');
      expect(hostMoveFault(moving(from, to, subdomains), denied)).to.equal(fault);
      expect(hostMoveFault(moving('1.2.3.4.example', 'new.example', subdomains), denied)).to.equal(undefined);
    });
  }
});

describe('mirror move: all mirrors', () => {
  let stored: Found[];
  let calls: string[];
  /** Of the last batch. */
  let options: operator.MoveOptions | undefined;
  beforeEach(() => {
    stored = [];
    calls = [];
    options = undefined;
  });
  const toNew = moving('old.example', 'new.example');

  const filled = (count: number, url = 'https://old.example/', owner = 7, isDefault = false) => {
    for (let made = 0; made < count; made++) {
      const id = (stored.length + 1) as domain.CampaignId;
      const campaign = { id, ownerId: owner as domain.OwnerId, isDefault, hasMirror: true };
      stored.push({ campaign, address: address(url), lastChange: id as number as domain.HistoryId });
    }
  };

  const set = ({ campaign: id, before, after }: operator.MirrorMove): operator.MirrorMoveOutcome => {
    const { campaign, address } = stored[id - 1] as Found;
    if (address !== before) return 'changed-meanwhile';
    stored[id - 1] = { campaign, address: after };
    return 'moved';
  };

  let changes: operator.AddressLine[];
  const mirrors: operator.MirrorMoves = {
    count: async () => stored.length,
    find: async ({ after = 0, limit, owner, host }) => {
      const page = stored.slice(after, after + limit);
      const near = page.filter(({ address }) => host && hostNameOf(address)?.endsWith(host));
      const mirrors = near.filter(({ campaign }) => owner === undefined || campaign.ownerId === owner);
      return { mirrors, examined: page.length, last: page.at(-1)?.campaign.id };
    },
    apply: async (moves, given) => {
      options = given;
      calls.push(`apply ${moves.length}`);
      return moves.map(set);
    },
    moveId: 3 as operator.AuditId,
    undoneBy: async () => undefined,
    findCampaigns: async (campaigns) => {
      calls.push(`find ${campaigns.length}`);
      const found = stored.filter(({ campaign }) => campaigns.includes(campaign.id));
      return found.map((one) => (one.campaign.hasMirror ? one : { ...one, address: null, lastChange: null }));
    },
    undoing: async (_, after, limit) => changes.slice(after ?? 0, (after ?? 0) + limit),
  };

  const how: operator.Moving = { mirrors, denied: noDeniedHosts, includeDefault: false, dryRun: false };

  /** How many of each kind. Stops at a progress after so many calls. */
  const run = async (given = {}, move = toNew, until = Number.POSITIVE_INFINITY) => {
    const kinds: Partial<Record<(operator.MirrorMoved | operator.MoveProgress)['kind'], number>> = {};
    for await (const { kind } of moveMirrors({ ...how, ...given }, move)) {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (kind === 'progress' && calls.length >= until) break;
    }
    const { progress, ...told } = kinds;
    return told;
  };

  it('are written in batches, each of which is told before the next; in a dry run none is', async () => {
    filled(1_201);
    filled(1, 'https://x.example/');
    expect(await run({ dryRun: true })).to.deep.equal({ 'would-move': 1_201 });
    expect(calls).to.deep.equal([]);
    expect(await run({}, toNew, 1), 'stopped at a progress').to.deep.equal({ moved: 500 });
    expect(await run(), 'nothing is done twice').to.deep.equal({ moved: 701 });
    expect(calls).to.deep.equal(['apply 500', 'apply 500', 'apply 201']);
    expect(await run()).to.deep.equal({});
  });

  it('are applied again, first, until each has an outcome, which may be that it is locked', async () => {
    filled(520);
    const batches: number[] = [];
    const answers: readonly (readonly operator.MirrorMoveOutcome[])[] = [[], ['locked'], []];
    const apply: typeof mirrors.apply = async (moves) => {
      batches.push(moves[0]?.campaign ?? 0, moves.length);
      return answers[calls.push('apply') - 1] ?? moves.map(set);
    };
    const told: string[] = [];
    for await (const event of moveMirrors({ ...how, mirrors: { ...mirrors, apply } }, toNew))
      if (event.kind !== 'progress' && event.kind !== 'unread' && event.kind !== 'moved')
        told.push(`${event.campaign} ${event.kind} at ${calls.length}`);
    expect(told).to.deep.equal(['1 locked at 2']);
    expect(batches).to.deep.equal([1, 500, 1, 500, 2, 500, 2, 500, 502, 19]);
  });

  it('tells how far it is: never back, and all in the end, also where mirrors come in meanwhile', async () => {
    filled(2_100);
    const seen: operator.MoveProgress[] = [];
    for await (const event of moveMirrors(how, toNew)) {
      if (event.kind === 'progress') seen.push(event);
      if (seen.length === 1 && event.kind === 'progress') filled(100, 'https://x.example/');
    }
    const examined = seen.map((progress) => progress.examined);
    expect(examined).to.deep.equal(examined.toSorted((one, next) => one - next));
    expect([examined[0], examined.at(-1)]).to.deep.equal([0, 2_200]);
  });

  it('are read page by page, until there are no more', async () => {
    filled(20_001);
    expect(await run({ dryRun: true })).to.deep.equal({ 'would-move': 20_001 });
  });

  it('tells of those that the store has found near the host, but are not on it', async () => {
    filled(1);
    filled(2, 'https://x.old.example/');
    expect(await run()).to.deep.equal({ moved: 1, 'not-on-host': 2 });
    expect(await run({}, moving('old.example', 'new.example', true))).to.deep.equal({ moved: 2 });
  });

  it('only those of one owner, where one is named; a default campaign where it is included, and has a mirror', async () => {
    const owner = 8 as domain.OwnerId;
    filled(1, 'https://old.example/', owner);
    filled(2);
    filled(1, longest, 7, true);
    const longer = moving('old.example', 'longer.example');
    expect(await run({ owner })).to.deep.equal({ moved: 1 });
    const details = { from: 'old.example', to: 'new.example', subdomains: false };
    const proven = { details, owner, includeDefault: false };
    expect(options, 'what the audit has, and what the writes prove').to.deep.include(proven);
    expect(await run({}, longer), 'refused before its address is judged').to.deep.equal({
      moved: 2,
      refused: 1,
    });
    const told = [];
    for await (const event of moveMirrors({ ...how, includeDefault: true }, longer))
      if (event.kind !== 'progress') told.push(event);
    const after = longest.replace('old', 'longer');
    const invalid = { kind: 'invalid', campaign: 4, before: longest, after, because: 'too-long' };
    expect(told, 'as it is and as it would be').to.deep.equal([invalid]);
    expect(await run({ includeDefault: true })).to.deep.equal({ moved: 1 });
    const last = stored.at(-1) as Found;
    stored = [{ ...last, campaign: { ...last.campaign, hasMirror: false } }];
    const back = moving('new.example', 'old.example');
    expect(await run({ includeDefault: true }, back)).to.deep.equal({ refused: 1 });
  });

  describe('to the addresses of lines', () => {
    const x = 'https://x.example/';
    const asked = (campaign: number, address: string, expected = ''): operator.AddressLine => {
      return { line: campaign + 1, campaign: campaign as domain.CampaignId, address, expected };
    };
    const set = async (lines: readonly operator.MoveLine[], dryRun = false) => {
      const told: operator.MirrorMoved[] = [];
      const seen: operator.MoveProgress[] = [];
      const how = { mirrors, denied: denying('denied.example'), includeDefault: false, dryRun };
      const events = moveToAddresses(how, lines, 'new.csv');
      for await (const event of events)
        if (event.kind === 'progress') seen.push(event);
        else told.push(event);
      expect([seen[0]?.examined, seen.at(-1)?.examined]).to.deep.equal([0, lines.length]);
      return told;
    };

    it('each is moved, there already, refused, invalid or not as expected, in this order of the checks', async () => {
      filled(6);
      filled(1, 'https://old.example/', 7, true);
      const [one] = stored as [Found];
      stored.push({ ...one, campaign: { ...one.campaign, id: 8 as domain.CampaignId, hasMirror: false } });
      const unread = { kind: 'unread', line: 99, because: 'why' } as const;
      const lines = [
        ...[asked(1, x), asked(2, x, 'https://old.example/'), asked(3, x, 'https://y.example/')],
        ...[asked(4, 'https://old.example/', 'https://y.example/'), asked(5, 'https://denied.example/', x)],
        ...[asked(6, ''), asked(7, 'no address'), asked(8, x), asked(8, ''), asked(9, x), unread],
      ];
      const judged = await set(lines, true);
      expect(
        judged.map((one) => ('because' in one ? `${one.kind}: ${one.because}` : one.kind)),
      ).to.deep.equal([
        ...['would-move', 'would-move', 'not-as-expected', 'unchanged', 'invalid: denied-host'],
        ...['invalid: not-http', 'refused: default-campaign', 'refused: mirror-not-created', 'unchanged'],
        ...['refused: campaign-not-found', 'unread: why'],
      ]);
      const before = 'https://old.example/';
      expect(judged[2]).to.deep.equal({ kind: 'not-as-expected', line: 4, campaign: 3, before, after: x });
      expect(judged.at(-2)).to.include({ line: 10, campaign: 9, before: null, after: undefined });
      expect(calls).to.deep.equal(['find 10']);

      stored[1] = { ...(stored[1] as Found), address: address('https://y.example/') };
      const kinds = (all: readonly operator.MirrorMoved[]) => all.map(({ kind }) => kind);
      expect(kinds(await set(judged)).slice(-2)).to.deep.equal(['moved', 'changed-meanwhile']);
      expect(calls.slice(1)).to.deep.equal(['apply 2']);
      expect(options).to.deep.include({ details: { source: 'new.csv' }, includeDefault: false });
      expect(kinds(await set(lines)).slice(0, 2)).to.deep.equal(['unchanged', 'not-as-expected']);
    });

    it('in batches, each of which is read when the one before is written', async () => {
      filled(1_001);
      expect(await set(stored.map((_, at) => asked(at + 1, x)))).to.have.length(1_001);
      expect(calls).to.deep.equal(['find 500', 'apply 500', 'find 500', 'apply 500', 'find 1', 'apply 1']);
    });
  });

  describe('back, by the number of their move', () => {
    let progress: operator.MoveProgress | undefined;
    const undone = async (asked = {}) => {
      const told: unknown[] = [];
      const undoing = { ...how, denied: denying('denied.example'), ...asked };
      for await (const event of undoMove(undoing, 7 as operator.AuditId))
        if (event.kind === 'progress') progress = event;
        else told.push('because' in event ? `${event.kind}: ${event.because}` : event.kind);
      return told;
    };
    /** As the move has left campaign n. */
    const change = (campaign: number, more: Partial<operator.AddressLine> = {}): operator.AddressLine => ({
      ...{ campaign: campaign as domain.CampaignId, change: campaign as domain.HistoryId },
      ...{ address: 'https://old.example/', expected: 'https://new.example/' },
      ...more,
    });

    const later = { change: 9_999 as domain.HistoryId };

    it('gives each its address back in batches, unless it was changed since, or may not have it', async () => {
      filled(1_001, 'https://new.example/');
      filled(1, 'https://new.example/', 7, true);
      filled(2, 'https://new.example/');
      changes = [
        ...stored.slice(0, 1_001).map((_, at) => change(at + 1)),
        change(1_002),
        ...[later, { campaign: 5_000 as domain.CampaignId }].map((more) => change(1_003, more)),
        change(1_004, { address: 'https://denied.example/' }),
      ];
      const dry = await undone({ dryRun: true, includeDefault: true });
      expect(dry.slice(1_000)).to.deep.equal([
        ...['would-move', 'would-move', 'changed-since', 'changed-since', 'invalid: denied-host'],
      ]);
      expect(calls.splice(0)).to.deep.equal(['find 500', 'find 500', 'find 5']);
      expect((await undone()).slice(1_000)).to.deep.equal([
        ...['refused: default-campaign', 'changed-since', 'changed-since', 'invalid: denied-host', 'moved'],
      ]);
      expect(calls).to.deep.equal(['find 500', 'apply 500', 'find 500', 'apply 500', 'find 5', 'apply 1']);
      expect(options).to.deep.include({ includeDefault: false, details: { undoes: 7 } });
      expect(progress?.examined).to.equal(1_005);
      expect(stored[1_000]?.address).to.equal('https://old.example/');
    });

    it('tells of one that has its address back already as unchanged', async () => {
      filled(1);
      filled(1, 'https://else.example/');
      changes = [change(1, later), change(2, later)];
      expect(await undone()).to.deep.equal(['unchanged', 'changed-since']);
    });

    it('tells of what it cannot give back with both addresses', async () => {
      filled(1, 'https://new.example/');
      changes = [change(1, { address: 'https://denied.example/' })];
      const events = [];
      for await (const event of undoMove(
        { ...how, denied: denying('denied.example') },
        7 as operator.AuditId,
      ))
        if (event.kind !== 'progress') events.push(event);
      const addresses = { before: 'https://new.example/', after: 'https://denied.example/' };
      const invalid = { kind: 'invalid', campaign: 1, because: 'denied-host', ...addresses };
      expect(events).to.deep.equal([invalid]);
    });

    it('tells of one whose mirror is no longer there as changed since', async () => {
      filled(1, 'https://new.example/');
      const [one] = stored as [Found];
      stored = [{ ...one, campaign: { ...one.campaign, hasMirror: false } }];
      changes = [change(1)];
      expect(await undone({ includeDefault: true })).to.deep.equal(['changed-since']);
    });
  });
});
