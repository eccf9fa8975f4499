import type { RecordedAct, RecordedCall, RecordedClick, Rewrite, StoredMirror } from '../record.ts';

/** What a run has seen so far. */
export class Recorder {
  readonly calls: RecordedCall[] = [];
  readonly acts: RecordedAct[] = [];
  readonly rewrites: Rewrite[] = [];
  readonly clicks: RecordedClick[] = [];
  /** Mirrors that went with their campaigns. */
  readonly deleted: StoredMirror[] = [];
  readonly #awaited = new Set<() => void>();

  now(): number {
    return performance.now();
  }

  add(call: RecordedCall): void {
    this.calls.push(call);
    for (const look of this.#awaited) look();
  }

  /** Resolves with the first call that is added from now on and is as it is looked for. */
  next(isIt: (call: RecordedCall) => boolean): Promise<RecordedCall> {
    return new Promise((resolve) => {
      const look = () => {
        const call = this.calls.at(-1) as RecordedCall;
        if (!isIt(call)) return;
        this.#awaited.delete(look);
        resolve(call);
      };
      this.#awaited.add(look);
    });
  }

  /** Resolves when so many more updates have been acknowledged. */
  async updates(count: number): Promise<void> {
    let seen = 0;
    await this.next(({ status }) => status === 200 && ++seen >= count);
  }
}
