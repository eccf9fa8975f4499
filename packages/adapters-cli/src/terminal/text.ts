/**
 * Characters that JSON leaves as they are, and that a terminal would act on or that mislead a reader: DEL and the C1
 * controls, line and paragraph separators, zero-width characters, bidirectional controls.
 */
const misleading = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Lines of JSON with the misleading characters in their strings escaped; they parse to the same values. */
export function escaped(lines: string): string {
  // Nearly all lines are ASCII, and this check costs a hundredth of the search.
  if (Buffer.byteLength(lines) === lines.length && !lines.includes('\u007f')) return lines;
  return lines.replace(misleading, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Shows characters that would control a terminal or mislead a reader by their code points. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, shown).replace(misleading, shown);
}

/** The same for a text of the program itself, which can have several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function shown(one: string): string {
  return `\\u{${one.codePointAt(0)?.toString(16)}}`;
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** A record in JSON: its fields under their names in the interface, such as `owner_id` for `ownerId`. */
export function jsonOf<Row extends object>(record: Row): Record<string, Row[keyof Row]> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value !== null && typeof value === 'object' ? jsonOf(value) : value,
    ]),
  );
}
