/** In bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** A line without its line end, or why it could not be read. */
export type Line = string | { readonly unread: string };

const tooLong: Line = { unread: `the line is longer than ${longestLine} bytes` };
const notUtf8: Line = { unread: 'the line is not in UTF-8' };

/** The lines of a UTF-8 file, with or without a byte order mark, in order and in batches as they are read. */
export async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  let isTooLong = false;
  for await (const chunk of bytes) {
    const text = Buffer.concat([rest, chunk]);
    const end = text.lastIndexOf('\n') + 1;
    rest = text.subarray(end);
    if (end > 0) {
      yield opened(decoded(text.subarray(0, end - 1)));
      isTooLong = false;
    }
    if (rest.length > longestLine) {
      // Only the fact that the line exists is kept.
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0 || isTooLong) yield opened(decoded(rest));

  /** This ends a line whose beginning was already too long. */
  function opened(lines: Line[]): Line[] {
    const [first = '', ...others] = lines;
    const wasFirst = isFirst;
    isFirst = false;
    if (isTooLong) return [tooLong, ...others];
    if (!wasFirst || typeof first !== 'string') return lines;
    return [first.replace(/^\ufeff/, ''), ...others];
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(block: Buffer): Line[] {
  const lines = textOf(block)?.split('\n') ?? block.toString('latin1').split('\n').map(alone);
  return lines.map((line) => {
    if (typeof line !== 'string') return line;
    return line.length > longestLine ? tooLong : line.replace(/\r$/, '');
  });
}

function alone(latin1: string): Line {
  return textOf(Buffer.from(latin1, 'latin1')) ?? notUtf8;
}

function textOf(block: Buffer): string | undefined {
  try {
    return decoder.decode(block);
  } catch {
    return undefined;
  }
}
