import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accessKey, accessKeyFrom } from '@campaign-mirror/domain';
import { expect } from 'chai';

const vector = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const numberOf = (base62: string) =>
  [...base62].reduce((sum, character) => sum * 62n + BigInt(alphabet.indexOf(character)), 0n);

describe('contract: keys — a key proves its form by a checksum', () => {
  it('the test vector is a key with the documented SHA-256', () => {
    expect(accessKey(vector)).to.equal(vector);
    const sha256 = createHash('sha256').update(vector).digest('hex');
    expect(sha256).to.equal('ff26a6cf52d064408f68a8994e1bd840c0262fa55469c1ea2868c7d584b0da69');
  });

  it('a key with a character replaced, removed, added or swapped, or in another case, is refused', () => {
    const others = [vector.toLowerCase(), vector.replace('cm_', 'CM_'), vector.replace('0', '\uff10')];
    const corrupt = new Set(['', 'cm_', ` ${vector}`, `${vector} `, `${vector}\n`, `\n${vector}`, ...others]);
    for (let at = 0; at < vector.length; at++) {
      const [start, rest] = [vector.slice(0, at), vector.slice(at + 1)];
      for (const character of alphabet) corrupt.add(`${start}${character}${rest}`);
      corrupt.add(`${start}${rest}`);
      corrupt.add(`${start}0${vector.slice(at)}`);
      corrupt.add(`${start}${rest.charAt(0)}${vector[at]}${rest.slice(1)}`);
    }
    corrupt.delete(vector);
    for (const text of corrupt) expect(accessKey(text), text).to.equal(undefined);
  });

  it('a key has 43 characters for 256 bits, and 6 for the CRC-32 of the rest', () => {
    for (let time = 0; time < 300; time++) {
      const key = accessKeyFrom(randomBytes(32));
      expect(accessKey(key)).to.equal(key);
      expect(key).to.match(/^cm_[0-9A-Za-z]{49}$/);
      expect(numberOf(key.slice(46))).to.equal(BigInt(crc32(key.slice(0, 46))));
    }
  });
});
