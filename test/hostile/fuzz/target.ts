/** A reader that is given whatever bytes, and what has to be true of what it makes of them. */
export interface Target {
  /** Inputs to begin with. */
  readonly seeds: readonly string[];
  /** Words that it knows, to be put into inputs. */
  readonly words: readonly string[];
  /** @throws where the reader does what it must not do */
  read(bytes: Buffer): void | Promise<void>;
}

/** @throws with these words */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** The bytes in pieces, as a file or a network may deliver them. */
export async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
