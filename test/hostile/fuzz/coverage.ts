import { Session } from 'node:inspector/promises';
import { projectFolder } from '../../support/workspace.ts';

/** What V8 knows of which blocks of our own sources were run. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  static async begin(): Promise<Coverage> {
    const coverage = new Coverage();
    coverage.#session.connect();
    await coverage.#session.post('Profiler.enable');
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return coverage;
  }

  get blocks(): number {
    return this.#seen.size;
  }

  /** The blocks that were run since the last look and never were before. */
  async fresh(): Promise<string[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(`file://${projectFolder}packages/`))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(({ startOffset, endOffset }) => `${url}:${startOffset}-${endOffset}`),
        ),
      )
      .filter((block) => !this.#seen.has(block));
  }

  /** From now on they are known. */
  know(blocks: readonly string[]): void {
    for (const block of blocks) this.#seen.add(block);
  }
}
