import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { accessKey, accessKeyBytes, accessKeyFrom, displayedPart } from '@campaign-mirror/domain';
import { expect } from 'chai';

const vector = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('contract: keys — their form', () => {
  it('the test vector is a key, with the SHA-256 that was decided', () => {
    expect(accessKey(vector)).to.equal(vector);
    const sha256 = createHash('sha256').update(vector).digest('hex');
    expect(sha256).to.equal('ff26a6cf52d064408f68a8994e1bd840c0262fa55469c1ea2868c7d584b0da69');
  });

  it('a key with any single character replaced is refused without the database', () => {
    for (let at = 0; at < vector.length; at++) {
      for (const character of alphabet) {
        const corrupt = vector.slice(0, at) + character + vector.slice(at + 1);
        if (corrupt !== vector) expect(accessKey(corrupt), corrupt).to.equal(undefined);
      }
    }
  });

  it('a key with a character missing, more, or swapped with its neighbour is refused', () => {
    for (let at = 0; at < vector.length; at++) {
      expect(accessKey(vector.slice(0, at) + vector.slice(at + 1))).to.equal(undefined);
      expect(accessKey(`${vector.slice(0, at)}0${vector.slice(at)}`)).to.equal(undefined);
      const swapped = `${vector.slice(0, at)}${vector[at + 1] ?? ''}${vector[at]}${vector.slice(at + 2)}`;
      if (swapped !== vector) expect(accessKey(swapped), swapped).to.equal(undefined);
    }
  });

  it('nothing else is a key: blanks around it, line ends, another case, other alphabets', () => {
    const strange = [
      '',
      'cm_',
      ` ${vector}`,
      `${vector} `,
      `${vector}\n`,
      `\n${vector}`,
      vector.toLowerCase(),
    ];
    const others = [vector.replace('cm_', 'CM_'), vector.replace('0', '\uff10'), vector.replace('0', '-')];
    for (const text of [...strange, ...others]) {
      expect(accessKey(text), JSON.stringify(text)).to.equal(undefined);
    }
  });

  it('256 bits make 43 characters, and the CRC-32 of what stands before makes 6, padded with 0', () => {
    const padded = new Set<boolean>();
    for (let time = 0; time < 300; time++) {
      const key = accessKeyFrom(randomBytes(accessKeyBytes));
      expect(accessKey(key)).to.equal(key);
      expect(key).to.match(/^cm_[0-9A-Za-z]{49}$/);
      expect(numberOf(key.slice(46))).to.equal(BigInt(crc32(key.slice(0, 46))));
      padded.add(key.charAt(46) === '0');
    }
    // Of all CRCs about a fifth are below 62^5 and need padding.
    expect(padded).to.deep.equal(new Set([true, false]));
  });

  it('every bit counts: the least, the greatest, and those between, at their places', () => {
    const none = new Uint8Array(accessKeyBytes);
    expect(accessKeyFrom(none).slice(3, 46)).to.equal('0'.repeat(43));
    expect(numberOf(accessKeyFrom(none.map(() => 255)).slice(3, 46))).to.equal(2n ** 256n - 1n);
    for (let bit = 0n; bit < 256n; bit++) {
      const bytes = none.map((_, at) => (at === 31 - Number(bit / 8n) ? 1 << Number(bit % 8n) : 0));
      expect(numberOf(accessKeyFrom(bytes).slice(3, 46))).to.equal(1n << bit);
    }
  });

  it('fewer or more than 32 random bytes are no key', () => {
    for (const length of [0, 16, 31, 33, 64]) {
      expect(() => accessKeyFrom(new Uint8Array(length))).to.throw(RangeError);
    }
  });

  it('its first 10 characters are displayed', () => {
    expect(displayedPart(accessKeyFrom(new Uint8Array(accessKeyBytes)))).to.equal('cm_0000000');
  });
});

function numberOf(base62: string): bigint {
  return [...base62].reduce((sum, character) => sum * 62n + BigInt(alphabet.indexOf(character)), 0n);
}
