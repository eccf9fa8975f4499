import type { Branded } from './branded.ts';

/** A name for people, of a campaign or of an access key: 1 to 200 characters on one line, none of them a control. */
export type Label = Branded<string, 'Label'>;

/** The longest label, in Unicode code points. */
export const longestLabel = 200;

/** Reads a label, without the white space around it. Undefined where it is none. */
export function label(text: string): Label | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(trimmed) || [...trimmed].length > longestLabel) {
    return undefined;
  }
  return trimmed as Label;
}
