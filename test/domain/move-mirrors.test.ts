import {
  type CampaignId,
  type FoundMirror,
  type Host,
  type HostMove,
  host,
  hostDenylist,
  hostMove,
  type MirrorAddress,
  type MirrorMove,
  type MirrorMoved,
  type MirrorMoveOutcome,
  type MirrorMoves,
  MoveMirrors,
  type MoveMirrorsRequest,
  type MoveProgress,
  noDeniedHosts,
  type OwnerId,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { movedAddress } from '../../packages/domain/src/move-mirrors/moved-address.ts';
import { seed } from '../support/seed.ts';
import { address } from '../support/store/world.ts';

const read = (text: string): Host => host(text) ?? expect.fail(`not a host: ${text}`);

function moving(from: string, to: string, subdomains = false): HostMove {
  const move = hostMove(read(from), read(to), subdomains, noDeniedHosts);
  return 'fault' in move ? expect.fail(move.fault) : move;
}

const moved = (move: HostMove, text: string, denied = noDeniedHosts) =>
  movedAddress(move, address(text), denied);

describe('mirror move: what an address on the host comes to', () => {
  const move = moving('old.example', 'New.example');
  const spellings: [before: string, after: string][] = [
    ['https://old.example', 'https://New.example'],
    ['https://old.example/', 'https://New.example/'],
    ['HTTP://OLD.Example.:8080/', 'HTTP://New.example:8080/'],
    ['https://old.example:443', 'https://New.example:443'],
    ['https://old.example:', 'https://New.example:'],
    ['https://old.example:0080/a', 'https://New.example:0080/a'],
    ['https://old.example?a={click_id}&b=[x]|ü#é', 'https://New.example?a={click_id}&b=[x]|ü#é'],
    ['https://old.example#old.example', 'https://New.example#old.example'],
    [
      'https://old.example/old.example/../%7e?u=https://old.example/@',
      'https://New.example/old.example/../%7e?u=https://old.example/@',
    ],
    ['https://%6Fl%64.example/%6f', 'https://New.example/%6f'],
    ['https://old%2Eexample./x', 'https://New.example/x'],
    ['https://ｏｌｄ.example/x', 'https://New.example/x'],
    ['https://old。example/x', 'https://New.example/x'],
    ['https://o\u00adld.example/x', 'https://New.example/x'],
    ['https://old.example/?price=$&x=$1', 'https://New.example/?price=$&x=$1'],
  ];
  for (const [before, after] of spellings) {
    it(`${before} → ${after}`, () => expect(moved(move, before)).to.deep.equal({ to: after }));
  }

  const elsewhere = [
    'https://x.old.example/',
    'https://old.example.com/',
    'https://bold.example/',
    'https://new.example/?old.example',
    'https://old.example..com/',
    'https://example/old.example',
  ];
  for (const one of elsewhere) {
    it(`${one} stays`, () => expect(moved(move, one)).to.equal(undefined));
  }

  it('international names match in any of their spellings, and are written as the operator has it', () => {
    for (const from of ['BÜCHER.example', 'xn--bcher-kva.example', 'b%C3%BCcher.example.']) {
      for (const stored of [
        'bücher.example',
        'XN--BCHER-KVA.example',
        'B%c3%9cCHER.example',
        'bu\u0308cher.example',
      ]) {
        const { to } = moved(moving(from, 'ñandú.example'), `https://${stored}:1/x`) ?? {};
        expect(to, `${from} ${stored}`).to.equal('https://ñandú.example:1/x');
      }
    }
  });

  it('IP addresses match in any of their spellings', () => {
    const four = moving('127.0.0.1', '[2001:db8::1]');
    for (const stored of ['127.0.0.1', '127.1', '0x7f.0.0.1', '2130706433', '127.0.0.1.']) {
      expect(moved(four, `http://${stored}:80/x`), stored).to.deep.equal({ to: 'http://[2001:db8::1]:80/x' });
    }
    const six = moving('[2001:DB8:0::1]', 'new.example');
    for (const stored of ['[2001:db8::1]', '[2001:0db8:0:0:0:0:0:1]']) {
      expect(moved(six, `http://${stored}:80?x`), stored).to.deep.equal({ to: 'http://new.example:80?x' });
    }
  });
});

describe('mirror move: --subdomains', () => {
  const move = moving('old.example', 'New.example', true);
  const names: [before: string, after: string][] = [
    ['https://old.example/', 'https://New.example/'],
    ['https://x.old.example/', 'https://x.New.example/'],
    ['https://X.y_Z.OLD.example.:8/?', 'https://X.y_Z.New.example:8/?'],
    ['https://*.old.example/', 'https://*.New.example/'],
    ['https://bücher.old.example/', 'https://xn--bcher-kva.New.example/'],
    ['https://%58.old.example/', 'https://x.New.example/'],
    ['https://x。old.example/', 'https://x.New.example/'],
    ['https://old.example.old.example/', 'https://old.example.New.example/'],
  ];
  for (const [before, after] of names) {
    it(`${before} → ${after}`, () => expect(moved(move, before)).to.deep.equal({ to: after }));
  }

  it('a name that only ends alike stays', () => {
    expect(moved(move, 'https://bold.example/')).to.equal(undefined);
    expect(moved(move, 'https://xold.example/')).to.equal(undefined);
  });
});

describe('mirror move: an address is judged again on its new host', () => {
  it('one that would be too long', () => {
    const fits = `https://old.example/${'x'.repeat(2048 - 20)}`;
    expect(moved(moving('old.example', 'longer.example'), fits)).to.deep.equal({
      fault: 'too-long',
      to: fits.replace('old', 'longer'),
    });
    expect(moved(moving('old.example', 'new.example'), fits)).not.to.have.property('fault');
  });

  it('one whose names below the host are denied', () => {
    const denied = hostDenylist(['*.new.example']);
    if ('notAHost' in denied) expect.fail();
    const move = moving('old.example', 'new.example', true);
    expect(moved(move, 'https://x.old.example/', denied)).to.deep.equal({
      fault: 'denied-host',
      to: 'https://x.new.example/',
    });
    expect(moved(move, 'https://old.example/', denied)).to.deep.equal({ to: 'https://new.example/' });
  });

  // Such never pass as a mirror's address; a table may have been written to by hand.
  const strange = [
    'https://user:password@old.example/',
    'https:old.example/',
    'https:///old.example/',
    'https://old.example\\x',
    ' https://old.example/',
    'ftp://old.example/',
  ];
  for (const one of strange) {
    it(`${JSON.stringify(one)}, whose host cannot be told from the rest, is left`, () => {
      const found = movedAddress(moving('old.example', 'new.example'), one as MirrorAddress, noDeniedHosts);
      expect(found).to.deep.equal({ fault: 'not-a-url', to: undefined });
    });
  }
});

describe('mirror move: whatever surrounds the host stays, byte for byte', () => {
  it('of a thousand addresses', () => {
    const move = moving('old.example', 'new.example', true);
    const part = (...all: string[]) => fc.constantFrom(...all);
    const parts = fc.tuple(
      part('http://', 'HTTPS://', 'hTTp://'),
      part('', 'x.', 'X.y.', 'a-b.'),
      part('old.example', 'OLD.EXAMPLE', 'Old.example.', 'o%6cd.example'),
      part('', ':', ':8080'),
      part('', '/', '/a/old.example', '?old.example', '#', '/{m}?[a]|b#$&'),
    );
    const stays = fc.property(parts, ([start, names, old, port, end]) => {
      const after = `${start}${old.includes('%') ? names.toLowerCase() : names}new.example${port}${end}`;
      expect(moved(move, `${start}${names}${old}${port}${end}`)).to.deep.equal({ to: after });
      expect(moved(move, after), 'a second time').to.equal(undefined);
    });
    fc.assert(stays, { seed, numRuns: 1_000 });
  });
});

describe('mirror move: what can be asked for', () => {
  const noHosts = [
    '',
    '.',
    'https://old.example',
    'old.example:80',
    'old.example:',
    'old.example/',
    'old.example?x',
    'old.example#x',
    'me@old.example',
    '*.old.example',
    'old example',
    'old\\example',
    '2001:db8::1',
    '[2001:db8::1]:80',
    'old<example',
    '1.2.3.4.5',
  ];
  for (const text of noHosts) {
    it(`${JSON.stringify(text)} is no host`, () => expect(host(text)).to.equal(undefined));
  }

  const refused: [from: string, to: string, subdomains: boolean, fault: string][] = [
    ['old.example', 'OLD.example.', false, 'matches-itself'],
    ['old.example', '%6fld.example', true, 'matches-itself'],
    ['old.example', 'new.old.example', true, 'matches-itself'],
    ['127.0.0.1', '127.1', false, 'matches-itself'],
    ['127.0.0.1', 'new.example', true, 'no-names-below'],
    ['old.example', '[::1]', true, 'no-names-below'],
    ['old.example', '0x7f.1', true, 'no-names-below'],
    ['10.20.30.40', 'new.example', true, 'no-names-below'],
    ['old.example', 'Denied.example.', false, 'denied-host'],
    ['old.example', 'x.below.example', false, 'denied-host'],
  ];
  const denied = hostDenylist(['denied.example', '*.below.example']);
  for (const [from, to, subdomains, fault] of refused) {
    it(`${from} → ${to}${subdomains ? ' with subdomains' : ''}: ${fault}`, () => {
      if ('notAHost' in denied) expect.fail();
      expect(hostMove(read(from), read(to), subdomains, denied)).to.deep.equal({ fault });
    });
  }

  it('a name that begins like an IP address has names below it', () => {
    const move = moving('1.2.3.4.example', 'new.example', true);
    expect(moved(move, 'https://x.1.2.3.4.example/')).to.deep.equal({ to: 'https://x.new.example/' });
  });

  it('a name below the host is a target where only the host itself moves, and so is the name above it', () => {
    expect(moved(moving('old.example', 'new.old.example'), 'https://old.example/')).to.deep.equal({
      to: 'https://new.old.example/',
    });
    const up = moving('x.old.example', 'old.example', true);
    expect(moved(up, 'https://a.x.old.example/')).to.deep.equal({ to: 'https://a.old.example/' });
  });
});

describe('mirror move: all mirrors', () => {
  let stored: FoundMirror[];
  let calls: string[];
  beforeEach(() => {
    stored = [];
    calls = [];
  });
  const request: MoveMirrorsRequest = {
    move: moving('old.example', 'new.example'),
    includeDefault: false,
    dryRun: false,
  };

  const filled = (count: number, url = 'https://old.example/', owner = 7, isDefault = false) => {
    for (let made = 0; made < count; made++) {
      const id = (stored.length + 1) as CampaignId;
      const campaign = { id, ownerId: owner as OwnerId, isDefault, hasMirror: true };
      stored.push({ campaign, address: address(url) });
    }
  };

  const set = ({ campaign: id, before, after }: MirrorMove): MirrorMoveOutcome => {
    const { campaign, address } = stored[id - 1] as FoundMirror;
    if (address !== before) return 'changed-meanwhile';
    stored[id - 1] = { campaign, address: after };
    return 'moved';
  };

  /** A store that tells how it is called, and of which `held` is held by somebody else for so many calls. */
  const mirrors = (held: (call: number) => boolean = () => false): MirrorMoves => ({
    count: async () => stored.length,
    find: async ({ after = 0, limit, owner }) => {
      const looked = stored.slice(after, after + limit);
      const mirrors = looked.filter(({ campaign }) => owner === undefined || campaign.ownerId === owner);
      return { mirrors, looked: looked.length, last: looked.at(-1)?.campaign.id };
    },
    setMany: async (moves) => {
      calls.push(`many ${moves.length}`);
      return held(calls.length) ? moves.map(() => 'held') : moves.map(set);
    },
    setOne: async (move) => {
      calls.push('one');
      return held(calls.length) ? 'held' : set(move);
    },
  });

  const run = async (moves: MirrorMoves, asked = request, until = Number.POSITIVE_INFINITY) => {
    const kinds: Partial<Record<(MirrorMoved | MoveProgress)['kind'], number>> = {};
    for await (const { kind } of new MoveMirrors(moves).execute(asked)) {
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (kind === 'progress' && calls.length >= until) break;
    }
    const { progress, ...told } = kinds;
    return told;
  };

  it('are written in batches; in a dry run none is', async () => {
    filled(1_201);
    filled(1, 'https://x.example/');
    expect(await run(mirrors(), { ...request, dryRun: true })).to.deep.equal({ 'would-move': 1_201 });
    expect(calls).to.deep.equal([]);
    expect(await run(mirrors())).to.deep.equal({ moved: 1_201 });
    expect(calls).to.deep.equal(['many 500', 'many 500', 'many 201']);
    expect(await run(mirrors()), 'a second time').to.deep.equal({});
  });

  it('what was written until a progress has been told: who stops there, and begins again, does nothing twice', async () => {
    filled(1_100);
    expect(await run(mirrors(), request, 1)).to.deep.equal({ moved: 500 });
    expect(await run(mirrors())).to.deep.equal({ moved: 600 });
  });

  it('what is held is tried again by itself', async () => {
    filled(3);
    expect(await run(mirrors((call) => call === 1 || call === 3))).to.deep.equal({ moved: 2, held: 1 });
    expect(calls).to.deep.equal(['many 3', 'one', 'one', 'one']);
  });

  it('patience has an end: when fifteen were waited for in vain, none is waited for any more', async () => {
    filled(600);
    expect(await run(mirrors(() => true))).to.deep.equal({ held: 600 });
    expect(calls.filter((call) => call === 'one')).to.have.length(15);
  });

  it('patience is not spent on those that were waited for with success', async () => {
    filled(40);
    expect(await run(mirrors((call) => call === 1))).to.deep.equal({ moved: 40 });
  });

  it('tells how far it is: never back, and all in the end, also where mirrors come in meanwhile', async () => {
    filled(2_100);
    const seen: MoveProgress[] = [];
    for await (const event of new MoveMirrors(mirrors()).execute(request)) {
      if (event.kind === 'progress') seen.push(event);
      if (seen.length === 1 && event.kind === 'progress') filled(100, 'https://x.example/');
    }
    const looked = seen.map((progress) => progress.looked);
    expect(looked).to.deep.equal(looked.toSorted((one, next) => one - next));
    expect(seen[0]).to.deep.equal({ kind: 'progress', looked: 0, total: 2_100 });
    expect(seen.at(-1)).to.deep.equal({ kind: 'progress', looked: 2_200, total: 2_200 });
  });

  it('only those of one owner, where one is named', async () => {
    const owner = 8 as OwnerId;
    filled(1, 'https://old.example/', owner);
    filled(2);
    expect(await run(mirrors(), { ...request, owner })).to.deep.equal({ moved: 1 });
    expect(await run(mirrors())).to.deep.equal({ moved: 2 });
  });

  it('an address that its new host makes too long is told as it is and as it would be, and stays', async () => {
    const before = `https://old.example/${'x'.repeat(2048 - 20)}`;
    filled(1, before);
    const asked = { ...request, move: moving('old.example', 'longer.example') };
    const told: (MirrorMoved | MoveProgress)[] = [];
    for await (const event of new MoveMirrors(mirrors()).execute(asked)) told.push(event);
    expect(told.filter(({ kind }) => kind !== 'progress')).to.deep.equal([
      { kind: 'invalid', campaign: 1, before, after: before.replace('old', 'longer'), because: 'too-long' },
    ]);
    expect(calls).to.deep.equal([]);
  });

  it('a default campaign is refused before its address is judged, unless it is included', async () => {
    filled(1, 'https://old.example/', 7, true);
    expect(await run(mirrors())).to.deep.equal({ refused: 1 });
    expect(await run(mirrors(), { ...request, includeDefault: true })).to.deep.equal({ moved: 1 });
  });
});
