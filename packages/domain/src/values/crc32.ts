const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The CRC-32 (IEEE 802.3) of an ASCII text, from 0 to 2^32-1. */
export function crc32(ascii: string): number {
  let value = 0xffffffff;
  for (let at = 0; at < ascii.length; at++) {
    value = (value >>> 8) ^ (table[(value ^ ascii.charCodeAt(at)) & 0xff] as number);
  }
  return (value ^ 0xffffffff) >>> 0;
}
