import type * as operator from '@campaign-mirror/domain/operator';
import {
  host,
  hostMoveFault,
  isOnHost,
  movedAddress,
  namesHostElsewhere,
} from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { denying } from '../support/store/world.ts';

const read = (text: string): operator.Host => host(text) ?? expect.fail(`not a host: ${text}`);

function moving(from: string, to: string, subdomains = false): operator.HostMove {
  return { from: from.split(',').map((one) => read(one).name), to: read(to), subdomains };
}

describe('mirror move: which addresses are on the host', () => {
  const wanted = [read('OLD.example.').name];
  for (const [url, alone, below] of [
    ['https://Old.example.:8080/?a', true, true],
    ['https://x.OLD.example/', false, true],
    ['https://new.example/old.example', false, false],
    ['not a URL', false, false],
  ] as const)
    it(`${url}: ${alone}; with names below the host: ${below}`, () =>
      expect([isOnHost(url, wanted, false), isOnHost(url, wanted, true)]).to.deep.equal([alone, below]));

  for (const [rest, is] of [
    ['/?next=https://OLD.example/x', true],
    ['?u=https%253A%252F%252Fold.example', true],
    ['?u=%FF%256fld.example', true],
    ['/bold.example/?a=old.example.com&b=old.example-x&c=old.examples&d=%20bold.example', false],
  ] as const)
    it(`${rest} ${is ? 'names' : 'does not name'} old.example`, () =>
      expect(namesHostElsewhere(`https://x.example${rest}`, wanted)).to.equal(is));
});

describe('mirror move: an address keeps everything but its host', () => {
  const alone = moving('old.example', 'New.example');
  const below = moving('old.example', 'New.example', true);
  const several = moving('old.example,x.old.example', 'new.example', true);
  const toIp = moving('127.0.0.1', '[2001:db8::1]');
  const fromIp = moving('[2001:DB8:0::1]', 'new.example');
  const nearIp = moving('1.2.3.4.example', 'new.example', true);
  const toIdn = moving('b%C3%BCcher.example.', 'ñandú.example');
  const moves: [move: operator.HostMove, before: string, after: string | undefined][] = [
    [alone, 'HTTP://OLD.Example.:8080/', 'HTTP://New.example:8080/'],
    [
      alone,
      'https://old.example?a={click_id}&b=[x]|ü#é$&$1',
      'https://New.example?a={click_id}&b=[x]|ü#é$&$1',
    ],
    [alone, 'https://old%2Eexample./x', 'https://New.example/x'],
    [alone, 'https://x.old.example/', undefined],
    [alone, 'https://new.example/?old.example', undefined],
    [below, 'https://X.y_Z.OLD.example.:8/?', 'https://X.y_Z.New.example:8/?'],
    [below, 'https://bücher.old.example/', 'https://xn--bcher-kva.New.example/'],
    [toIp, 'http://2130706433:80/x', 'http://[2001:db8::1]:80/x'],
    [fromIp, 'http://[2001:0db8:0:0:0:0:0:1]:80?x', 'http://new.example:80?x'],
    [toIdn, 'https://XN--BCHER-KVA.example:81/x', 'https://ñandú.example:81/x'],
    [nearIp, 'https://x.1.2.3.4.example/', 'https://x.new.example/'],
    [several, 'https://a.x.old.example/', 'https://a.new.example/'],
    [moving('old.example', 'new.old.example'), 'https://old.example', 'https://new.old.example'],
  ];
  for (const [move, before, after] of moves)
    it(after === undefined ? `${before} stays` : `${before} becomes ${after}`, () =>
      expect(movedAddress(move, before)).to.equal(after),
    );

  it('an address without a clear host stays', () => {
    // The table may hold invalid addresses if it was modified manually.
    const strange =
      'https://user:password@old.example/ https:old.example/ https:///old.example/ https://old.example\\x';
    for (const url of [...strange.split(' '), ' https://old.example/', 'ftp://old.example/'])
      expect(movedAddress(alone, url), url).to.equal('');
  });
});

describe('mirror move: an impossible move is refused', () => {
  const refused: [from: string, to: string, subdomains: boolean, fault: string][] = [
    ['old.example', '%6fld.example', true, 'below-source'],
    ['old.example', 'new.old.example', true, 'below-source'],
    ['old.example', '[::1]', true, 'no-names-below'],
    ['10.20.30.40', 'new.example', true, 'no-names-below'],
    ['old.example', 'Denied.example.', false, 'denied-host'],
    ['old.example', 'x.below.example', false, 'denied-host'],
    ['old.example', 'below.example', true, 'denied-host'],
    ['a.example,old.example', 'x.old.example', true, 'below-source'],
    ['old.example', 'dom11', false, 'impossible-host'],
    ['old.example', `${'a.'.repeat(130)}example`, false, 'impossible-host'],
  ];
  for (const [from, to, subdomains, fault] of refused)
    it(`${from} to ${to}${subdomains ? ' with subdomains' : ''}: ${fault}`, () => {
      const denied = denying('denied.example', '*.below.example');
      expect(hostMoveFault(moving(from, to, subdomains), denied)).to.equal(fault);
    });
});
