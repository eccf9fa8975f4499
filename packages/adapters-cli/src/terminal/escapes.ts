/**
 * What the JSON of a line still holds as it is, and a terminal would act on or a reader be misled by: DEL and the C1
 * controls, the separators of lines and paragraphs, what has no width, what turns the direction of a text.
 */
const misleading = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Lines of JSON, with what is misleading in their texts escaped: they parse to the same. */
export function escaped(lines: string): string {
  // ASCII, as nearly all is: seen at a hundredth of what the search costs.
  if (Buffer.byteLength(lines) === lines.length && !lines.includes('\u007f')) return lines;
  return lines.replace(misleading, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What would steer a terminal, or mislead its reader, is shown by its code point. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, shown).replace(misleading, shown);
}

/** The same of a text of ours that has several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function shown(one: string): string {
  return `\\u{${one.codePointAt(0)?.toString(16)}}`;
}
