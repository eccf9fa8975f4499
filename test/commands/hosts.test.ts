import { type Host, host } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { isOnHost, namesHostElsewhere } from '../../packages/adapters-cli/src/commands/hosts.ts';

const read = (text: string): Host => host(text) ?? expect.fail(`not a host: ${text}`);

describe('whether a mirror is on a host', () => {
  const wanted = read('OLD.example.').name;
  for (const [url, alone, below] of [
    ['https://Old.example.:8080/?a', true, true],
    ['https://x.OLD.example/', false, true],
    ['https://new.example/old.example', false, false],
    ['not a URL', false, false],
  ] as const)
    it(`${url}: ${alone}; with names below it ${below}`, () => {
      expect([false, true].map((one) => isOnHost(url, wanted, one))).to.deep.equal([alone, below]);
    });
});

describe('whether an address has a host after its own', () => {
  for (const [rest, is] of [
    ['/?next=https://OLD.example/x', true],
    ['?u=https%3A%2F%2Fold.example%2F', true],
    ['?u=https%253A%252F%252Fold.example', true],
    ['#x.old.example.', true],
    ['?u=old%2Eexample', true],
    ['?u=%FF%256fld.example', true],
    ['?u=%FF', false],
    ['/bold.example/?a=old.example.com&b=old.example-x&c=old.examples&d=%20bold.example', false],
    ['/old.example.com/old.example', true],
  ] as const)
    it(`${rest}: ${is}`, () =>
      expect(namesHostElsewhere(`https://old.example${rest}`, read('old.example').name)).to.equal(is));

  for (const [rest, is] of [
    ['?u=https://BÜCHER.example/', true],
    ['?u=https%3A%2F%2Fx.b%C3%BCcher.example', true],
    ['?u=B%25C3%259Ccher.example', true],
    ['#xn--bcher-kva.example', true],
    ['?u=bücher.example.com&v=kochbücher.example', false],
  ] as const)
    it(`${rest}, of an international host: ${is}`, () =>
      expect(namesHostElsewhere(`https://x.example${rest}`, read('bücher.example').name)).to.equal(is));
});
