import { type Branded, reader } from './reader.ts';

/** A well-formed access key: `cm_`, 43 characters of base62, 6 characters of their CRC-32 (contract: keys). */
export type AccessKey = Branded<string, 'AccessKey'>;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksumStart = 'cm_'.length + 43;

/** Reads a key. A malformed key is refused without a lookup. */
export const accessKey = reader('an access key', (text: string) => {
  const isKey =
    /^cm_[0-9A-Za-z]{49}$/.test(text) && text.slice(checksumStart) === checksum(text.slice(0, checksumStart));
  return isKey ? (text as AccessKey) : undefined;
});

/** Makes an access key from 256 random bits. @throws RangeError unless there are exactly 32 bytes */
export function accessKeyFrom(random: Uint8Array): AccessKey {
  if (random.length !== 32) throw new RangeError('an access key takes 32 bytes');
  let number = 0n;
  for (const byte of random) number = (number << 8n) | BigInt(byte);
  const body = `cm_${base62(number, 43)}`;
  return `${body}${checksum(body)}` as AccessKey;
}

const checksum = (body: string) => base62(BigInt(crc32(body)), 6);

function base62(number: bigint, width: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The CRC-32 (IEEE 802.3) of an ASCII text, from 0 to 2^32-1. */
function crc32(ascii: string): number {
  let value = 0xffffffff;
  for (let at = 0; at < ascii.length; at++)
    value = (value >>> 8) ^ (crcTable[(value ^ ascii.charCodeAt(at)) & 0xff] as number);
  return (value ^ 0xffffffff) >>> 0;
}
