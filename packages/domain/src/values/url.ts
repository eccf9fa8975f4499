/**
 * The domain's only access to the platform: the parser of the WHATWG URL standard, which browsers, Node and every
 * other JavaScript runtime provide as a global.
 */
interface ParsedUrl {
  /** In lower case; international names in ASCII form, IPv4 addresses in dotted decimal. */
  readonly hostname: string;
}

// biome-ignore lint/plugin: the one seam
declare const URL: { parse(url: string): ParsedUrl | null };

/** The parsed URL, or undefined if the parser rejects it. */
export function parseUrl(text: string): ParsedUrl | undefined {
  return URL.parse(text) ?? undefined;
}
