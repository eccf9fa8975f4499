/**
 * The one seam to the platform: the parser of the WHATWG URL standard, which browsers, Node and every
 * other JavaScript runtime have as a global. Nothing else of the platform is visible to the domain.
 */
interface ParsedUrl {
  /** In lower case, international names in their ASCII form, IPv4 addresses in dotted decimals. */
  readonly hostname: string;
}

// biome-ignore lint/plugin: the one seam
declare const URL: { parse(url: string): ParsedUrl | null };

/** The parsed URL, or undefined where the standard's parser refuses it. */
export function parseUrl(text: string): ParsedUrl | undefined {
  return URL.parse(text) ?? undefined;
}
