/** In bytes. What is accepted takes less than half of it. */
const longestLine = 65_536;

/** A line without its end, or why it could not be read. */
export type Line = string | { readonly unread: string };

const tooLong: Line = { unread: `the line is longer than ${longestLine} bytes` };
const notUtf8: Line = { unread: 'the line is not in UTF-8' };

/** The lines of a file in UTF-8, with or without a byte order mark, in their order, so many together as come. */
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
      // All that is kept of it is that it is there.
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0 || isTooLong) yield opened(decoded(rest));

  /** Where a line began that was too long, this is the end of it. */
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
