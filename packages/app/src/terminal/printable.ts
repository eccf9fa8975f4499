/** What would steer a terminal, or mislead its reader, is shown by its code point. */
export function printable(value: string | number | null): string {
  if (value === null) return '-';
  return String(value).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}
