import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** In bytes. */
const longest = 16_384;

/**
 * A secret from a file, without the line break at its end, or what is wrong with the file, which never shows its
 * contents. Reads at most the limit, and never blocks, as opening a pipe would.
 */
export function readSecretFile(path: string): { secret: string } | { fault: string } {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (stats.isDirectory()) return { fault: 'is a folder, not a file' };
    if (!stats.isFile()) return { fault: 'is not a file' };
    return secretIn(contentOf(file));
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'no reason given'})` };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function contentOf(file: number): Buffer {
  const content = Buffer.alloc(longest + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file, content, length, content.length - length, length);
    if (read === 0) return content.subarray(0, length);
    length += read;
  }
}

function secretIn(content: Buffer): { secret: string } | { fault: string } {
  if (content.length > longest) return { fault: `is too large (over ${longest} bytes)` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return { fault: 'is not UTF-8' };
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '') return { fault: 'is empty' };
  return /[\0\r\n]/.test(secret) ? { fault: 'holds more than one line' } : { secret };
}
