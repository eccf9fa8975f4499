import type { Branded } from './branded.ts';

/** A display name of a campaign or an access key: 1 to 200 characters on one line, without control characters. */
export type Label = Branded<string, 'Label'>;

/** The longest label, in Unicode code points. */
export const longestLabel = 200;

/** Reads a label and trims white space. Undefined if it is invalid. */
export function label(text: string): Label | undefined {
  const trimmed = text.trim();
  const isOneLine = trimmed !== '' && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(trimmed);
  return isOneLine && [...trimmed].length <= longestLabel ? (trimmed as Label) : undefined;
}
