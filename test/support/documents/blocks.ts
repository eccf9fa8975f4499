import { read } from '../workspace.ts';

/**
 * A code block of the documents. Its marker, an HTML comment on the last line before it, says how it is tested:
 *
 * - `shown: REASON`: not at all
 * - `scripts`: package.json has the scripts that it calls
 * - `run: service`: it runs in a folder with ./campaign-mirror beside a service; $KEY belongs to the owner of $CAMPAIGN
 * - `run: database`, `run: database: ROLE@DATABASE`: it runs on an empty server, as its superuser or that role
 * - `run: first terminal`, `run: second terminal`: on that server; the second prints once the first goes on
 * - `run: ts`: in the README of a package, it is compiled and run with the installed packages
 * - `answers`: it is the output of the block before; `…` stands for any text
 *
 * Pages with `rehearsed: NAME` and `tested: …` have their own tests.
 */
export interface Block {
  /** The line of its first fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly marker: string;
}

/** @throws SyntaxError for a block without an end */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let marker = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, fence, language = ''] = /^\s*(`{3,}|~{3,})\s*(\S*)/.exec(line) ?? [];
    if (fence) {
      const end = lines.findIndex((one, later) => later > at && one.trim() === fence);
      if (end === -1) throw new SyntaxError(`line ${at + 1}: the block has no end`);
      blocks.push({ line: at + 1, language, text: lines.slice(at + 1, end).join('\n'), marker });
      at = end;
      marker = '';
    } else if (line.trim() !== '') {
      marker = /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(line)?.[1] ?? '';
    }
  }
  return blocks;
}

/** The blocks whose marker has this beginning, by the rest of the marker. */
export const named = (markdown: string, beginning: string): Map<string, string> =>
  new Map(
    blocksOf(markdown)
      .filter(({ marker }) => marker.startsWith(beginning))
      .map(({ marker, text }) => [marker.slice(beginning.length), text]),
  );

export const prose = (markdown: string): string =>
  markdown.replace(/^\s*(`{3,}|~{3,}).*\n[\s\S]*?^\s*\1\s*$/gm, '');

export const sectionsOf = (markdown: string): string[] =>
  [...prose(markdown).matchAll(/^#{2,} (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** Whether a text matches a block with `<!-- answers -->`. */
export function isAnswer(expected: Block, actual: string): boolean {
  const plain = (text: string) =>
    expected.language === 'json' ? withoutSpace(text) : text.replaceAll(/[ \r]+$/gm, '').trim();
  const pattern = plain(expected.text)
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^]*?');
  return new RegExp(`^${pattern}$`).test(plain(actual));
}

/** Removes white space outside of strings from JSON. */
const withoutSpace = (json: string) =>
  json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text?: string) => text ?? '');

/** A file of the project, with texts replaced. @throws Error if it lacks one of them */
export async function configuration(path: string, replaced: Readonly<Record<string, string>> = {}) {
  return Object.entries(replaced).reduce(
    (now, [old, anew]) => {
      if (!now.includes(old)) throw new Error(`${path} has no ${old}`);
      return now.replaceAll(old, anew);
    },
    await read(path),
  );
}
